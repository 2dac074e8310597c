import type { Hono } from 'hono';
import { HoldpointError } from '../../core/index.ts';
import type { Access } from '../../ledger/index.ts';
import { readThread, unknownThread } from '../../ledger/index.ts';
import type { StoredFile } from '../files/file-options.ts';
import type { HostEnv } from '../host-options.ts';
import type { HostParts } from '../host-parts.ts';
import { checkedId } from '../host-parts.ts';
import { pageOf, readBytes } from './read-json.ts';
import { threadOf } from './thread-routes.ts';

const MAX_BYTES = 10 * 1024 * 1024;

/** Characters of a file's name. */
const NAME_LENGTH = 200;

/** `POST|GET /threads/:t/files`: the body is the file, its name is in `X-File-Name` or `?name=`. */
export function addFileRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  const { files, options, newId } = parts;
  const { maxBytes = MAX_BYTES, types, origins = [] } = options.files ?? {};

  app.post('/threads/:thread/files', async (context) => {
    assertOwnPage(context.req.raw, origins);
    const access = await threadOf(parts, context, 'upload');
    await assertThere(access);
    const type =
      context.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'application/octet-stream';
    if (types !== undefined && !types.some((allowed) => matches(type, allowed))) {
      throw new HoldpointError(
        'UNSUPPORTED_MEDIA',
        `Files of the type ${type} are not taken; these are: ${types.join(', ')}.`,
      );
    }
    const name = fileName(context.req.query('name') ?? context.req.header('x-file-name'));
    const data = await readBytes(context.req.raw, maxBytes);
    const file: StoredFile = {
      id: newId(),
      name,
      type,
      size: data.length,
      uploadedBy: context.get('principal').id,
      uploadedAt: await parts.now(),
    };
    await files.put(access, file, data);
    return context.json({ file }, 201);
  });

  app.get('/threads/:thread/files', async (context) => {
    const access = await threadOf(parts, context, 'read');
    await assertThere(access);
    return context.json(await files.list(access, pageOf(context.req.query())));
  });

  app.get('/threads/:thread/files/:file', async (context) => {
    const access = await threadOf(parts, context, 'read');
    await assertThere(access);
    const id = checkedId(context.req.param('file'), 'file id');
    const found = await files.get(access, id);
    if (found === undefined) throw new HoldpointError('THREAD_UNKNOWN', `The thread has no file ${id}.`);
    // Never shown as a page of this host: what people upload is not to be trusted.
    return context.body(found.data, 200, {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(found.file.name.replaceAll(/\p{Cs}/gu, ''))}`,
      'x-content-type-options': 'nosniff',
    });
  });
}

/** A thread that is gone has no files, wherever they may still be. Throws `THREAD_UNKNOWN`. */
async function assertThere(access: Access): Promise<void> {
  const thread = await readThread(access);
  if (thread === undefined || thread.pruned !== undefined) throw unknownThread(access.key.thread);
}

/**
 * Throws `FORBIDDEN` for a page of another origin. A file may be of any type, so that a form of any page could send one with a
 * person's cookies; programs send no `Origin`.
 */
function assertOwnPage(request: Request, origins: readonly string[]): void {
  const { headers, url } = request;
  const origin = headers.get('origin');
  // A browser's own word, which holds also behind a proxy that changes `Host`.
  if (origin === null || headers.get('sec-fetch-site') === 'same-origin' || origins.includes(origin)) return;
  const host = headers.get('host') ?? new URL(url).host;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new HoldpointError('FORBIDDEN', `Pages of ${origin} may not upload files: see files.origins.`);
}

function matches(type: string, allowed: string): boolean {
  return allowed.endsWith('/*') ? type.startsWith(allowed.slice(0, -1)) : type === allowed;
}

/** The last part of a name, without what no name has. */
function fileName(given: string | undefined): string {
  const decoded = decode(given ?? '');
  const name = decoded.split(/[\\/]/).at(-1) ?? '';
  // By code points: half of a surrogate pair is no text, and no URL can carry it.
  const clean = Array.from(name.replaceAll(/[\p{Cc}\p{Cs}]/gu, ''))
    .slice(0, NAME_LENGTH)
    .join('');
  return clean === '' ? 'file' : clean;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
