import type { Hono } from 'hono';
import { HoldpointError, isAcceptedFile } from '../../core/index.ts';
import type { Access, FileAccess, Principal } from '../../ledger/index.ts';
import { readThread, unknownThread } from '../../ledger/index.ts';
import type { StoredFile } from '../files/file-options.ts';
import type { HostEnv } from '../host-options.ts';
import type { HostParts } from '../host-parts.ts';
import { checkedId } from '../host-parts.ts';
import type { BodySource } from './read-json.ts';
import { mediaType, pageOf, readBytes, tooLarge } from './read-json.ts';
import { threadIdOf } from './thread-routes.ts';

const MAX_BYTES = 10 * 1024 * 1024;

/** Maximum length of a file name. */
const NAME_LENGTH = 200;

/** `POST|GET /threads/:t/files`: the body is the file, with its name in `X-File-Name` or `?name=`, or a form with one file. */
export function addFileRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  const { files, gate, options, newId } = parts;
  const { maxBytes = MAX_BYTES, types } = options.files ?? {};
  const origins = [...(options.files?.origins ?? []), ...(options.cors?.origins ?? [])];

  app.post('/threads/:thread/files', async (context) => {
    assertOwnPage(context.req.raw, origins);
    const { access } = await gate.checkFiles(context.get('principal'), 'upload', threadIdOf(context));
    await assertThere(access);
    const given = context.req.query('name') ?? context.req.header('x-file-name');
    const { type, data, ...upload } = await readUpload(context, maxBytes);
    const name = fileName(given ?? upload.name);
    if (types !== undefined && !isAcceptedFile({ name, type }, types.join(','))) {
      throw new HoldpointError(
        'UNSUPPORTED_MEDIA',
        `Files of the type ${type} are not accepted; accepted types: ${types.join(', ')}.`,
      );
    }
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
    const principal = context.get('principal');
    const seen = await gate.checkFiles(principal, 'read', threadIdOf(context));
    await assertThere(seen.access);
    const page = await files.list(seen.access, pageOf(context.req.query()));
    return context.json({ ...page, files: page.files.filter((file) => isVisible(file, seen, principal)) });
  });

  app.get('/threads/:thread/files/:file', async (context) => {
    const principal = context.get('principal');
    const seen = await gate.checkFiles(principal, 'read', threadIdOf(context));
    await assertThere(seen.access);
    const id = checkedId(context.req.param('file'), 'file id');
    const found = await files.get(seen.access, id);
    if (found === undefined || !isVisible(found.file, seen, principal))
      throw new HoldpointError('THREAD_UNKNOWN', `The thread has no file ${id}.`);
    // Never rendered as a page of this host, because uploads are not trusted.
    return context.body(found.data, 200, {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(found.file.name.replaceAll(/\p{Cs}/gu, ''))}`,
      'x-content-type-options': 'nosniff',
    });
  });
}

/** An approver sees the files that their interrupts name, in the call or in the answer, and those that they uploaded. */
function isVisible(file: StoredFile, { interrupts }: FileAccess<'read'>, principal: Principal): boolean {
  if (interrupts === undefined || file.uploadedBy === principal.id) return true;
  const name = JSON.stringify(file.id);
  // The approver's own answer does not count: it could name any file.
  return interrupts.some(({ interrupt, answer }) =>
    JSON.stringify([interrupt, answer?.by === principal.id ? undefined : answer]).includes(name),
  );
}

/** A deleted thread has no files, even if they still exist. Throws `THREAD_UNKNOWN`. */
async function assertThere(access: Access): Promise<void> {
  const thread = await readThread(access);
  if (thread === undefined || thread.pruned !== undefined) throw unknownThread(access.key.thread);
}

/**
 * Throws `FORBIDDEN` for a page of another origin. An upload may have any type, so a form of any page could send one
 * with the cookies of a person; programs send no `Origin`.
 */
function assertOwnPage(request: Request, origins: readonly string[]): void {
  const { headers, url } = request;
  const origin = headers.get('origin');
  // The browser sets this header; it is right also behind a proxy that changes `Host`.
  if (origin === null || headers.get('sec-fetch-site') === 'same-origin' || origins.includes(origin)) return;
  const host = headers.get('host') ?? new URL(url).host;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new HoldpointError('FORBIDDEN', `Pages of ${origin} may not upload files: see files.origins.`);
}

interface Upload {
  readonly name?: string;
  readonly type: string;
  readonly data: Uint8Array<ArrayBuffer>;
}

const ANY_TYPE = 'application/octet-stream';
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** Bytes of a form besides its file: boundaries, headers and other fields. */
const FORM_BYTES = 64 * 1024;

/**
 * Reads an upload: a form with one file (`multipart/form-data`), or a raw body of any other media type. Throws
 * `UNSUPPORTED_MEDIA` for other forms, `INPUT_INVALID` for a form without exactly one file, and as `readBytes` does.
 */
async function readUpload(source: BodySource, maxBytes: number): Promise<Upload> {
  const header = source.req.raw.headers.get('content-type') ?? ANY_TYPE;
  const type = mediaType(header);
  if (type !== 'multipart/form-data') {
    const isForm = type.startsWith('multipart/') || type === 'application/x-www-form-urlencoded';
    if (!isForm && MEDIA_TYPE.test(type)) return { type, data: await readBytes(source, maxBytes) };
    throw new HoldpointError(
      'UNSUPPORTED_MEDIA',
      `Send a multipart/form-data form, or the file itself with its media type, not ${type}.`,
    );
  }
  const body = await readBytes(source, maxBytes + FORM_BYTES);
  const form = await new Response(body, { headers: { 'content-type': header } })
    .formData()
    .catch((cause: unknown) => {
      throw new HoldpointError('INPUT_INVALID', 'The form could not be read.', { cause });
    });
  const [file, ...others] = [...form.values()].filter((value) => typeof value !== 'string');
  if (file === undefined || others.length > 0)
    throw new HoldpointError('INPUT_INVALID', 'The form must have exactly one file.');
  if (file.size > maxBytes) throw tooLarge(maxBytes);
  const partType = mediaType(file.type === '' ? ANY_TYPE : file.type);
  if (!MEDIA_TYPE.test(partType))
    throw new HoldpointError('UNSUPPORTED_MEDIA', 'The file of the form has no valid media type.');
  return { name: file.name, type: partType, data: new Uint8Array(await file.arrayBuffer()) };
}

/** Control characters, lone surrogates, and marks of text direction, which can make `exe.pdf` of `fdp.exe`. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** The last path segment of a name, without characters that names cannot have. A name of dots, such as `..`, is a folder. */
function fileName(given: string | undefined): string {
  const decoded = decode(given ?? '');
  const name = decoded.split(/[\\/]/).at(-1) ?? '';
  // Cuts by code points, because a URL cannot carry a lone surrogate.
  const clean = Array.from(name.replaceAll(NOT_IN_NAMES, '')).slice(0, NAME_LENGTH).join('');
  return /^\.*$/.test(clean) ? 'file' : clean;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
