/** A problem with a setting. */
export interface Problem {
  /** The problem, as the end of a sentence. */
  readonly says: string;
  /** The next step, as a sentence. */
  readonly next: string;
}

/** The scheme of a URL. A single letter before the colon is a Windows drive. */
const SCHEME = /^([a-z][a-z\d+.-]+):/i;

/** Checks the form of a database name, not whether the database exists. */
export function checkDatabase(database: string): Problem | undefined {
  const next = 'Give the path of a SQLite file, such as holdpoint.db, or postgres://user@host/database.';
  if (database.trim() === '') return { says: 'it is empty', next };
  const scheme = SCHEME.exec(database)?.[1];
  if (scheme === undefined || /^postgres(?:ql)?:\/\/./.test(database)) return undefined;
  return { says: `${scheme}: is neither a SQLite file nor a PostgreSQL address`, next };
}

/** Checks the form of a host address. The problem never contains a password. */
export function checkUrl(url: string): Problem | undefined {
  const next = 'Give the address of the host, such as http://127.0.0.1:4680.';
  if (url === '') return { says: 'it is empty', next };
  // The address is not repeated: what stands before the @ may be a password.
  if (url.includes('@')) {
    const how = 'Give the address without it, and a token with --token or HOLDPOINT_TOKEN.';
    return { says: 'it contains a user name or a password', next: how };
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return { says: `${url} is not an http or https URL`, next };
  const { pathname } = new URL(url);
  return /\/agents\/|\/inbox\/?$/.test(pathname)
    ? { says: `${url} is a page or an agent, not the host`, next }
    : undefined;
}

/** Checks the form of a token. The problem never contains the token. */
export function checkToken(token: string): Problem | undefined {
  const next = 'Give the token alone, without Bearer, quotes and line breaks.';
  if (token === '') return { says: 'it is empty', next };
  if (/^bearer\s/i.test(token)) return { says: 'it starts with Bearer, which the command adds itself', next };
  return /[^\u0021-\u007E]|^["']/.test(token)
    ? { says: 'it contains a space, a quote or a character that tokens cannot contain', next }
    : undefined;
}
