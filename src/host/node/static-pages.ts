import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
};

/** What a page of ours may do: its own scripts and styles, and nothing of anybody else's. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Paths that are pages of the web app, whatever follows. */
const PAGES = [/^\/$/, /^\/chat(?:\/|$)/, /^\/inbox(?:\/|$)/];

/** Serves a built web app from a folder: its pages by their paths, its files under `/assets/`. */
export function staticPages(folder: string): (request: Request) => Promise<Response | undefined> {
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (PAGES.some((page) => page.test(pathname))) return file(join(folder, 'index.html'));
    if (!pathname.startsWith('/assets/')) return undefined;
    const path = normalize(join(folder, decode(pathname)));
    return path.startsWith(normalize(folder) + sep) ? file(path) : undefined;
  };
}

async function file(path: string): Promise<Response | undefined> {
  try {
    const body = await readFile(path);
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    const caching = path.endsWith('.html') ? 'no-cache' : 'public, max-age=3600';
    return new Response(new Uint8Array(body), {
      headers: { ...PAGE_HEADERS, 'content-type': type, 'cache-control': caching },
    });
  } catch {
    return undefined;
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Where the built web app is: beside the built package, or in the repository. */
const PLACES = ['../../ui', '../../../dist/ui'];

/** The chat and the inbox that come with this package, for a host's `pages`; undefined where they were not built. */
export function webPages(): ReturnType<typeof staticPages> | undefined {
  const folder = PLACES.map((place) => join(import.meta.dirname, place)).find((place) =>
    existsSync(join(place, 'index.html')),
  );
  return folder === undefined ? undefined : staticPages(folder);
}
