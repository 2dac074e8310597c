import { BinaryReader } from '@bufbuild/protobuf/wire';
import { DEFAULT_JSON_LIMITS } from '../../core/index.ts';
import { malformed } from './binary-errors.ts';

/** Bytes being read, and counts of the contents so far. */
export interface WireInput {
  readonly reader: BinaryReader;
  /** End of the current message. */
  end: number;
  /** Levels of nested JSON at the current position. */
  depth: number;
  /** Total messages and JSON values read. */
  members: number;
}

/** Opens bytes for reading. */
export function openInput(bytes: Uint8Array): WireInput {
  return { reader: new BinaryReader(bytes), end: bytes.length, depth: 0, members: 0 };
}

/** Calls `visit` with the tag of each field of the current message; skips a field when `visit` returns false. */
export function readEachField(input: WireInput, visit: (tag: number) => boolean): void {
  const { reader } = input;
  while (reader.pos < input.end) {
    const [number, wireType] = reader.tag();
    if (!visit(number * 8 + wireType)) reader.skip(wireType, number);
    if (reader.pos > input.end) throw malformed('a field is longer than its message');
  }
}

/**
 * Reads a length and its contents without allocating by the length. Counts the contents like members in
 * `parseJson`, because a few bytes can stand for many objects.
 */
export function readNested<T>(input: WireInput, read: () => T): T {
  const { maxKeys } = DEFAULT_JSON_LIMITS;
  const outerEnd = input.end;
  const length = input.reader.uint32();
  const end = input.reader.pos + length;
  if (end > outerEnd) throw malformed('a length runs past the end');
  input.members += 1;
  if (input.members > maxKeys) throw malformed(`it has more than ${maxKeys} members`);
  input.end = end;
  const value = read();
  input.end = outerEnd;
  return value;
}

/** Runs `read` one JSON level deeper; throws past 100 levels. */
export function readDeeper<T>(input: WireInput, read: () => T): T {
  const { maxDepth } = DEFAULT_JSON_LIMITS;
  if (input.depth >= maxDepth) throw malformed(`JSON is nested deeper than ${maxDepth} levels`);
  input.depth += 1;
  const value = read();
  input.depth -= 1;
  return value;
}
