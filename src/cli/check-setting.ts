/** What is wrong with a setting, and what to do about it. */
export interface Problem {
  readonly says: string;
  readonly next: string;
}

/** A word of several letters and a colon; one letter is a drive of Windows. */
const SCHEME = /^([a-z][a-z\d+.-]+):/i;

/** Looks at the form of a database's name; whether it is there, only opening it tells. */
export function checkDatabase(database: string): Problem | undefined {
  const next = 'Give the path of a SQLite file, such as holdpoint.db, or postgres://user@host/database.';
  if (database.trim() === '') return { says: 'it is empty', next };
  const scheme = SCHEME.exec(database)?.[1];
  if (scheme === undefined || /^postgres(?:ql)?:\/\/./.test(database)) return undefined;
  return { says: `${scheme}: is neither a SQLite file nor a PostgreSQL`, next };
}

/** Looks at the form of a host's address. */
export function checkUrl(url: string): Problem | undefined {
  const next = 'Give the address of the host, such as http://127.0.0.1:4680.';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return { says: `${url === '' ? 'an empty text' : url} is not an address of the web`, next };
  }
  const { pathname } = new URL(url);
  return /\/agents\/|\/inbox\/?$/.test(pathname)
    ? { says: `${url} is a page or an agent of a host`, next }
    : undefined;
}

/** Looks at the form of a token, and never says it. */
export function checkToken(token: string): Problem | undefined {
  const next = 'Give the token alone: no word before it, no quotes, no new line.';
  if (token === '') return { says: 'it is empty', next };
  if (/^bearer\s/i.test(token)) return { says: 'it begins with the word Bearer, which is added here', next };
  return /[^\u0021-\u007E]|^["']/.test(token)
    ? { says: 'it has a space, a quote or a character that no token has', next }
    : undefined;
}
