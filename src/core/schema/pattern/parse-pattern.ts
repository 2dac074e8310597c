import { NOT_LINE_END, only } from './character-set.ts';
import { parseCharacterClass, parseCharacterEscape } from './parse-character-class.ts';
import { PatternReader } from './pattern-reader.ts';
import type { PatternNode } from './pattern-tree.ts';

/**
 * The tree of a pattern that `new RegExp(pattern, 'u')` has accepted; undefined for syntax that is
 * newer than this parser. A caller must read undefined as "unknown", never as "harmless".
 */
export function parsePattern(pattern: string): PatternNode | undefined {
  const reader = new PatternReader(pattern);
  try {
    const tree = parseChoice(reader);
    return reader.done ? tree : undefined;
  } catch (error) {
    if (error instanceof UnknownSyntax) return undefined;
    throw error;
  }
}

class UnknownSyntax extends Error {}

function parseChoice(reader: PatternReader): PatternNode {
  const options = [parseSequence(reader)];
  while (reader.takeIf('|')) options.push(parseSequence(reader));
  const [first] = options;
  return options.length === 1 && first !== undefined ? first : { kind: 'choice', options };
}

function parseSequence(reader: PatternReader): PatternNode {
  const items: PatternNode[] = [];
  while (!reader.done && reader.peek() !== '|' && reader.peek() !== ')') {
    items.push(parseQuantifier(reader, parseAtom(reader)));
  }
  return { kind: 'sequence', items };
}

function parseAtom(reader: PatternReader): PatternNode {
  const character = reader.take();
  switch (character) {
    case '^':
      return { kind: 'start' };
    case '$':
      return { kind: 'condition' };
    case '.':
      return { kind: 'characters', set: NOT_LINE_END };
    case '[':
      return { kind: 'characters', set: parseCharacterClass(reader) };
    case '(':
      return parseGroup(reader);
    case '\\':
      return parseEscape(reader);
    default:
      return { kind: 'characters', set: only(character.codePointAt(0) ?? 0) };
  }
}

function parseEscape(reader: PatternReader): PatternNode {
  const letter = reader.peek();
  if (letter === 'b' || letter === 'B') {
    reader.take();
    return { kind: 'condition' };
  }
  if (letter === 'k') {
    reader.takeWhile(/[^>]/);
    reader.take();
    return { kind: 'backreference' };
  }
  if (/[1-9]/.test(letter)) {
    reader.takeWhile(/\d/);
    return { kind: 'backreference' };
  }
  return { kind: 'characters', set: parseCharacterEscape(reader) };
}

function parseGroup(reader: PatternReader): PatternNode {
  const open = readGroupKind(reader);
  const body = parseChoice(reader);
  if (!reader.takeIf(')')) throw new UnknownSyntax();
  return open === 'plain' ? body : { kind: 'look', behind: open === 'behind', body };
}

function readGroupKind(reader: PatternReader): 'plain' | 'ahead' | 'behind' {
  if (!reader.takeIf('?')) return 'plain';
  if (reader.takeIf(':')) return 'plain';
  if (reader.takeIf('=') || reader.takeIf('!')) return 'ahead';
  if (reader.takeIf('<=') || reader.takeIf('<!')) return 'behind';
  if (!reader.takeIf('<')) throw new UnknownSyntax();
  reader.takeWhile(/[^>]/);
  reader.take();
  return 'plain';
}

function parseQuantifier(reader: PatternReader, body: PatternNode): PatternNode {
  const bounds = readBounds(reader);
  if (bounds === undefined) return body;
  // Lazy or greedy: the same paths in another order.
  reader.takeIf('?');
  return { kind: 'repeat', body, min: bounds[0], max: bounds[1] };
}

function readBounds(reader: PatternReader): readonly [min: number, max: number] | undefined {
  if (reader.takeIf('*')) return [0, Infinity];
  if (reader.takeIf('+')) return [1, Infinity];
  if (reader.takeIf('?')) return [0, 1];
  if (!reader.takeIf('{')) return undefined;
  const min = Number(reader.takeWhile(/\d/));
  if (!reader.takeIf(',')) {
    reader.take();
    return [min, min];
  }
  const digits = reader.takeWhile(/\d/);
  reader.take();
  return [min, digits === '' ? Infinity : Number(digits)];
}
