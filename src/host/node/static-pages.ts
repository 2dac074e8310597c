import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

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

/** The pages may use their own scripts and styles only. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** The paths of the web app. */
const APP_PATHS = ['/chat', '/inbox', '/audit'];

/** Media types worth compressing. */
const IS_TEXT = /^text\/|json$|svg/;

const compress = promisify(gzip);

/** A file and its compressed form. */
interface KeptFile {
  readonly changedAt: number;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined;
}

/** Options of {@link staticPages}. */
export interface StaticPagesOptions {
  /**
   * Paths at which the folder's `index.html` is served besides `/`, `/chat`, `/inbox` and `/audit`; the paths below each
   * are served too. Pages go before the routes of the host, so do not list `/agents` or `/threads`. Default: none.
   */
  readonly paths?: readonly string[];
}

/**
 * Serves a built web app from a folder: `index.html` at the paths of its pages, its files under `/assets/`. Serves no file whose name or
 * folder starts with a dot, and none outside the folder that a link leads to. Texts are compressed once for each version of a file. An
 * address with a version (`?v=` or `chunk-…`) never changes its contents, so a browser need not ask again. Where the host is below a
 * path, such as `/ai`, the links of `index.html` to `/assets/` become `/ai/assets/`.
 *
 * @example
 * ```ts
 * import { createHost } from 'holdpoint/host';
 * import { staticPages } from 'holdpoint/node';
 * import { memoryStore } from 'holdpoint/store/memory';
 *
 * const pages = staticPages('public', { paths: ['/orders'] });
 * const host = createHost({ agents: [], store: memoryStore(), pages });
 * ```
 */
export function staticPages(
  folder: string,
  { paths = [] }: StaticPagesOptions = {},
): (request: Request, basePath?: string) => Promise<Response | undefined> {
  const pages = [...APP_PATHS, ...paths].map((path) => path.replace(/\/+$/, '')).filter(Boolean);
  const kept = new Map<string, Promise<KeptFile>>();
  const read = async (path: string): Promise<KeptFile> => {
    const changedAt = (await stat(path)).mtimeMs;
    const known = await kept.get(path)?.catch(() => undefined);
    if (known?.changedAt === changedAt) return known;
    const reading = readFile(path).then(async (body): Promise<KeptFile> => {
      const gzipped = IS_TEXT.test(typeOf(path)) ? new Uint8Array(await compress(body)) : undefined;
      return { changedAt, plain: new Uint8Array(body), gzipped };
    });
    kept.set(path, reading);
    return reading;
  };
  const serve = async (path: string, request: Request, basePath = ''): Promise<Response | undefined> => {
    try {
      // A link in the folder may lead to any file of the machine.
      if (!isInside(await realpath(folder), await realpath(path))) return undefined;
      const { plain, gzipped } = withBasePath(await read(path), basePath);
      const isGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
      const body = isGzip ? (gzipped ?? plain) : plain;
      return new Response(body, {
        headers: {
          ...PAGE_HEADERS,
          'content-type': typeOf(path),
          'cache-control': cachingOf(path, new URL(request.url)),
          vary: 'accept-encoding',
          ...(body === gzipped ? { 'content-encoding': 'gzip' } : {}),
        },
      });
    } catch {
      return undefined;
    }
  };
  return async (request, basePath) => {
    const { pathname } = new URL(request.url);
    const isPage = pathname === '/' || pages.some((page) => `${pathname}/`.startsWith(`${page}/`));
    if (isPage) return serve(join(folder, 'index.html'), request, basePath);
    if (!pathname.startsWith('/assets/')) return undefined;
    const path = join(folder, decode(pathname));
    if (!isInside(resolve(folder), resolve(path))) return undefined;
    const isHidden = relative(folder, path)
      .split(sep)
      .some((name) => name.startsWith('.'));
    return isHidden ? undefined : serve(path, request);
  };
}

/** A page with its links below the path of the host. A path that a link cannot take as it is changes nothing. */
function withBasePath(page: KeptFile, basePath: string): KeptFile {
  if (!/^(?:\/[\w.~@:%+-]+)+$/.test(basePath)) return page;
  const html = new TextDecoder().decode(page.plain).replaceAll('"/assets/', `"${basePath}/assets/`);
  return { ...page, plain: new TextEncoder().encode(html), gzipped: undefined };
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function typeOf(path: string): string {
  return TYPES[extname(path)] ?? 'application/octet-stream';
}

function cachingOf(path: string, { searchParams }: URL): string {
  if (path.endsWith('.html')) return 'no-cache';
  return searchParams.has('v') || /chunk-[^/]+$/.test(path)
    ? 'public, max-age=31536000, immutable'
    : 'public, max-age=3600';
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The folder of the built web app: beside the built package, or in the repository. */
const PLACES = ['../../ui', '../../../dist/ui'];

/**
 * The chat and the inbox of this package, for the option `pages`; undefined if they were not built.
 *
 * @example
 * ```ts
 * import { createHost } from 'holdpoint/host';
 * import { webPages } from 'holdpoint/node';
 * import { memoryStore } from 'holdpoint/store/memory';
 *
 * const host = createHost({ agents: [], store: memoryStore(), pages: webPages() });
 * ```
 */
export function webPages(): ReturnType<typeof staticPages> | undefined {
  const folder = PLACES.map((place) => join(import.meta.dirname, place)).find((place) =>
    existsSync(join(place, 'index.html')),
  );
  return folder === undefined ? undefined : staticPages(folder);
}
