import type { CharacterSet } from './character-set.ts';
import { DIGITS, EVERYTHING, invert, only, SPACE, union, WORD } from './character-set.ts';
import type { PatternReader } from './pattern-reader.ts';

const CONTROL_LETTERS: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['0', 0],
]);

/** Reads a class after its `[`. The pattern is known to be valid with the `u` flag. */
export function parseCharacterClass(reader: PatternReader): CharacterSet {
  const negated = reader.takeIf('^');
  const sets: CharacterSet[] = [];
  while (!reader.done && !reader.takeIf(']')) {
    const first = readMember(reader);
    if (reader.peek() !== '-' || reader.peek(1) === ']') {
      sets.push(first);
      continue;
    }
    reader.take();
    const last = readMember(reader);
    sets.push([[first[0]?.[0] ?? 0, last[0]?.[0] ?? 0]]);
  }
  const set = union(sets);
  if (!negated) return set;
  // What a property excludes is unknown here, so its complement is taken to be everything as well.
  return sets.includes(EVERYTHING) ? EVERYTHING : invert(set);
}

function readMember(reader: PatternReader): CharacterSet {
  const character = reader.take();
  if (character !== '\\') return only(codeOf(character));
  if (reader.takeIf('b')) return only(8);
  return parseCharacterEscape(reader);
}

/** Reads an escape that stands for characters, after its backslash. */
export function parseCharacterEscape(reader: PatternReader): CharacterSet {
  const letter = reader.take();
  const control = CONTROL_LETTERS.get(letter);
  if (control !== undefined) return only(control);
  switch (letter) {
    case 'd':
      return DIGITS;
    case 'D':
      return invert(DIGITS);
    case 'w':
      return WORD;
    case 'W':
      return invert(WORD);
    case 's':
      return SPACE;
    case 'S':
      return invert(SPACE);
    case 'p':
    case 'P':
      reader.takeWhile(/[^}]/);
      reader.take();
      return EVERYTHING;
    case 'c':
      return only(codeOf(reader.take()) % 32);
    case 'x':
      return only(readHex(reader, 2));
    case 'u':
      return only(readUnicodeEscape(reader));
    default:
      return only(codeOf(letter));
  }
}

function readUnicodeEscape(reader: PatternReader): number {
  if (reader.takeIf('{')) {
    const code = readHex(reader, Infinity);
    reader.take();
    return code;
  }
  const lead = readHex(reader, 4);
  const isPair = lead >= 0xd800 && lead <= 0xdbff && reader.peek() === '\\' && reader.peek(1) === 'u';
  // A lead that no trail follows would be misread, which only makes the set less exact.
  if (!isPair || !reader.takeIf('\\u')) return lead;
  return (lead - 0xd800) * 0x400 + (readHex(reader, 4) - 0xdc00) + 0x10000;
}

function readHex(reader: PatternReader, limit: number): number {
  return Number.parseInt(reader.takeWhile(/[\da-f]/i, limit), 16);
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
