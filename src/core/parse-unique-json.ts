import { invalidInput } from './invalid-value.ts';
import type { JsonLimits } from './json-limits.ts';
import { parseJson } from './json-limits.ts';
import { childPointer } from './json-pointer.ts';

/**
 * Parses JSON from outside like {@link parseJson}, and rejects an object with a repeated member: two readers of
 * `{"approved":false,"approved":true}` may read two answers. Throws `INPUT_INVALID` with the pointer of the member.
 */
export function parseUniqueJson(text: string, limits: Partial<JsonLimits> = {}): unknown {
  const value = parseJson(text, limits);
  const pointer = findRepeatedMember(text);
  if (pointer === undefined) return value;
  throw invalidInput('JSON', [{ pointer, message: 'expected the member once, found it twice' }]);
}

/** An open object or array at a position in the text. */
interface Level {
  /** The member names so far; undefined for an array. */
  readonly names: Set<string> | undefined;
  /** The name or the index of the current member. */
  key: string | number;
}

/** The pointer of the first repeated member; the text must be valid JSON. */
function findRepeatedMember(text: string): string | undefined {
  const levels: Level[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at += 1) {
    const level = levels.at(-1);
    switch (text[at]) {
      case '{':
        levels.push({ names: new Set(), key: '' });
        isName = true;
        break;
      case '[':
        levels.push({ names: undefined, key: 0 });
        isName = false;
        break;
      case '}':
      case ']':
        levels.pop();
        isName = false;
        break;
      case ',':
        isName = level?.names !== undefined;
        if (typeof level?.key === 'number') level.key += 1;
        break;
      case '"': {
        const end = endOfText(text, at);
        if (isName && level?.names !== undefined) {
          level.key = nameIn(text, at, end);
          if (level.names.has(level.key))
            return levels.map(({ key }) => key).reduce<string>(childPointer, '');
          level.names.add(level.key);
        }
        isName = false;
        at = end;
        break;
      }
      default:
    }
  }
  return undefined;
}

/** The index of the closing quotation mark. */
function endOfText(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return end;
  }
}

function nameIn(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end);
  // A name may contain escapes: "\u0061" is "a".
  return name.includes('\\') ? String(JSON.parse(text.slice(start, end + 1))) : name;
}
