import type { Context } from 'hono';
import type { JsonLimits } from '../../core/index.ts';
import { defined, HoldpointError, parseUniqueJson } from '../../core/index.ts';
import type { HostEnv } from '../host-options.ts';

/** A request, and the function that counts the bytes of its body. */
export type BodySource = Pick<Context<HostEnv>, 'req' | 'get'>;

/** The bytes that a body of unknown length counts at once. */
const STEP_BYTES = 64 * 1024;

/** Reads a body as bytes, up to the limit. Throws `TOO_LARGE`, and `RATE_LIMITED` beyond the limit for bodies at work. */
export async function readBytes(source: BodySource, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const request = source.req.raw;
  const count = source.get('countBody');
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > limit) throw tooLarge(limit);
  // A body of a declared length is read at once, which is cheaper than a stream.
  if (declared > 0) {
    count(declared);
    const bytes = new Uint8Array(await request.arrayBuffer().catch(cutOff));
    if (bytes.length > limit) throw tooLarge(limit);
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  let counted = 0;
  if (request.body !== null) {
    const reader = request.body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch(cutOff);
        if (done) break;
        size += value.byteLength;
        if (size > limit) throw tooLarge(limit);
        if (size > counted) {
          const step = Math.max(STEP_BYTES, size - counted);
          count(step);
          counted += step;
        }
        chunks.push(value);
      }
    } catch (error) {
      await reader.cancel().catch(() => undefined);
      throw error;
    }
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function cutOff(cause: unknown): never {
  throw new HoldpointError('INPUT_INVALID', 'The request body could not be read to its end.', { cause });
}

/**
 * Reads a body as JSON within limits; rejects a member twice. Throws `UNSUPPORTED_MEDIA`, `INPUT_INVALID`, and as
 * {@link readBytes} does.
 */
export async function readJson(
  source: BodySource,
  limits: {
    readonly bytes: number;
    readonly json: Partial<JsonLimits> | undefined;
    /** Reads an empty body as `{}`; the content type is still required. */
    readonly optional?: boolean;
  },
): Promise<unknown> {
  const type = mediaType(source.req.raw.headers.get('content-type') ?? '');
  if (type !== 'application/json' && !type.endsWith('+json')) {
    throw new HoldpointError('UNSUPPORTED_MEDIA', 'Send JSON, with the content type application/json.');
  }
  const bytes = await readBytes(source, limits.bytes);
  if (limits.optional === true && bytes.length === 0) return {};
  try {
    return parseUniqueJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), limits.json);
  } catch (error) {
    if (HoldpointError.is(error)) throw error;
    throw new HoldpointError('INPUT_INVALID', 'The body is not UTF-8.', { cause: error });
  }
}

export function tooLarge(limit: number): HoldpointError {
  return new HoldpointError('TOO_LARGE', `The body is larger than ${limit} bytes.`);
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/** The cursor and limit of a list request. Throws `INPUT_INVALID`. */
export function pageOf(query: Readonly<Record<string, string>>): {
  readonly cursor?: string;
  readonly limit: number;
} {
  const { cursor, limit } = query;
  const wanted = limit === undefined ? DEFAULT_LIMIT : Number(limit);
  if (!Number.isSafeInteger(wanted) || wanted < 1) {
    throw new HoldpointError('INPUT_INVALID', 'limit is a number from 1 to 500.');
  }
  return { ...defined({ cursor }), limit: Math.min(wanted, MAX_LIMIT) };
}

/** The media type of a `Content-Type` header, without its parameters. */
export function mediaType(header: string): string {
  return (header.split(';')[0] ?? '').trim().toLowerCase();
}
