import type { Bytes, Issue, UnknownRecord } from '../../core/index.ts';
import { defined, isAcceptedFile, isRecord, ownMember } from '../../core/index.ts';
import { replaceParts } from '../../core/schema/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/interrupts/interrupt.ts';

/** A file of a thread. */
export interface FileInfo {
  readonly id: string;
  readonly name: string;
  /** The media type, as the uploader said it. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
}

/** A file with its body. */
export interface FileContent extends FileInfo {
  readonly data: Bytes;
}

/** Reads the files of one thread. Both functions return undefined for a file that the thread does not have. */
export interface FileReader {
  /** Reads the description of a file, without its body. */
  describe(id: string): Promise<FileInfo | undefined>;
  read(id: string): Promise<FileContent | undefined>;
}

/** Limits for a file: `accept` lists media types and extensions, as the attribute of an HTML input does. */
interface FileLimits {
  readonly accept?: string;
  /** Bytes of the file. */
  readonly maxBytes?: number;
}

/** A file that an answer names. */
interface NamedFile extends FileLimits {
  /** The place in the answer, as a JSON pointer. */
  readonly pointer: string;
  /** Undefined for a value that names no file. */
  readonly id: string | undefined;
}

/** The limits of a schema or of the metadata of an interrupt. */
function fileLimits(from: UnknownRecord): FileLimits {
  const accept = ownMember(from, 'accept');
  const maxBytes = ownMember(from, 'maxBytes');
  return defined({
    accept: typeof accept === 'string' ? accept : Array.isArray(accept) ? accept.join(',') : undefined,
    maxBytes: typeof maxBytes === 'number' ? maxBytes : undefined,
  });
}

/** The issues of the files that an answer names: each exists on the thread and fits its limits. */
export async function checkFiles(
  interrupt: Interrupt,
  { status, payload }: ResumeEntry,
  files: FileReader,
): Promise<Issue[]> {
  if (status === 'cancelled') return [];
  const issues: Issue[] = [];
  for (const { pointer, id, accept, maxBytes } of await namedFiles(interrupt, payload)) {
    const file = id === undefined ? undefined : await files.describe(id);
    const message =
      id === undefined
        ? 'expected a file'
        : file === undefined
          ? `the thread has no file ${JSON.stringify(id)}`
          : accept !== undefined && !isAcceptedFile(file, accept)
            ? `expected a file of the type ${accept}, not ${file.type}`
            : maxBytes !== undefined && file.size > maxBytes
              ? `expected a file of at most ${maxBytes} bytes, not ${file.size}`
              : undefined;
    if (message !== undefined) issues.push({ pointer, message });
  }
  return issues;
}

/**
 * The files that an answer names, with their limits: values of schemas with `format: "file"`, and the answer to an
 * interrupt with the reason `upload_required`. A file is named by its id, or by an object with `fileId` or `id`.
 */
async function namedFiles(
  { reason, responseSchema, metadata = {} }: Interrupt,
  answer: unknown,
): Promise<NamedFile[]> {
  const found: NamedFile[] = [];
  const mentionsFile = JSON.stringify(responseSchema ?? null).includes('"file"');
  if (mentionsFile)
    await replaceParts(responseSchema, answer, (part, schemas, pointer) => {
      const marks = schemas.filter((schema) => schema['format'] === 'file');
      if (marks.length === 0) return undefined;
      const id = fileId(part);
      // The value may belong to another alternative of a union.
      const isFile = id !== undefined || schemas.length === marks.length;
      if (isFile && part !== null && part !== undefined)
        for (const mark of marks) found.push({ pointer, id, ...fileLimits(mark) });
      return { with: part };
    });
  if (found.length > 0 || reason !== InterruptReason.UploadRequired) return found;
  // A schema with another format, such as a URL, asks for no file of the thread.
  const id = responseSchema?.['format'] === undefined ? fileId(answer) : undefined;
  return id === undefined ? [] : [{ pointer: '', id, ...fileLimits(metadata) }];
}

function fileId(value: unknown): string | undefined {
  const id = isRecord(value) ? (ownMember(value, 'fileId') ?? ownMember(value, 'id')) : value;
  return typeof id === 'string' ? id : undefined;
}
