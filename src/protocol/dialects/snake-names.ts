import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import type { Shape } from '../shapes/shape.ts';
import { SHAPES } from '../shapes/shape-table.ts';
import { fieldsOf } from '../shapes/shape.ts';

type Direction = 'toSnake' | 'toCamel';

const EVENTS: ReadonlyMap<string, Shape> = new Map(Object.entries(SHAPES.events));
const snakeNames = new Map<string, string>();

/** `toolCallId` → `tool_call_id`. */
function snakeName(camel: string): string {
  const known = snakeNames.get(camel);
  if (known !== undefined) return known;
  const name = camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeNames.set(camel, name);
  return name;
}

/**
 * Renames the members of an event that the protocol names. Foreign data in it (state, payloads, metadata,
 * arguments, schemas) and unknown members keep their names.
 */
export function renameEvent(value: UnknownRecord, type: string, direction: Direction): UnknownRecord {
  const shape = EVENTS.get(type);
  return shape === undefined ? value : renameShape(value, shape, direction);
}

/** Renames the members of an object of the shape table. */
export function renamePart(value: unknown, name: string, direction: Direction): unknown {
  if (!isRecord(value)) return value;
  const choice = SHAPES.choices[name];
  const word = choice === undefined ? undefined : value[choice.by];
  const chosen =
    typeof word === 'string' && choice !== undefined && Object.hasOwn(choice.of, word)
      ? choice.of[word]
      : undefined;
  const shape = SHAPES.parts[chosen ?? name];
  return shape === undefined ? value : renameShape(value, shape, direction);
}

function renameShape(value: UnknownRecord, shape: Shape, direction: Direction): UnknownRecord {
  const result: UnknownRecord = {};
  const wanted = new Map<string, readonly [camel: string, type: string]>();
  for (const { key: camel, name } of fieldsOf(shape)) {
    const entry = [camel, name] as const;
    // Also accept a camel-case member in a snake-case event.
    wanted.set(camel, entry);
    if (direction === 'toCamel') wanted.set(snakeName(camel), entry);
  }
  for (const key of Object.keys(value)) {
    const entry = wanted.get(key);
    if (entry === undefined) {
      result[key] = value[key];
      continue;
    }
    const [camel, type] = entry;
    result[direction === 'toSnake' ? snakeName(camel) : camel] = renameField(value[key], type, direction);
  }
  return result;
}

function renameField(value: unknown, name: string, direction: Direction): unknown {
  const part = name === 'Content' ? 'ContentPart' : name;
  if (!Object.hasOwn(SHAPES.parts, part) && !Object.hasOwn(SHAPES.choices, part)) return value;
  if (Array.isArray(value)) return value.map((item) => renamePart(item, part, direction));
  return renamePart(value, part, direction);
}
