import type { Issue, UnknownRecord } from '../../core/index.ts';
import { childPointer, isRecord, kindOf } from '../../core/index.ts';
import type { FieldType } from './field-type.ts';
import { fieldType } from './field-type.ts';
import type { Shape } from './shape-table.ts';
import { CHOICES, PART_SHAPES } from './shape-table.ts';

/** What a check found on its way. */
export interface Findings {
  readonly issues: Issue[];
  /** Called with the pointer of a list item that a newer protocol must have added; the item is left out. */
  readonly onUnknown: ((pointer: string) => void) | undefined;
}

interface Place {
  readonly pointer: string;
  readonly findings: Findings;
}

type Entry = readonly [key: string, type: FieldType];

const entries = new WeakMap<Shape, readonly Entry[]>();
const JSON_POINTER = /^(?:\/(?:[^/~]|~[01])*)*$/;
const LEFT_OUT = Symbol('left out');

/**
 * Checks an object against a shape. Optional members that are null count as absent (the protocol never
 * writes null); members the shape does not name stay. Gives back the same object when nothing changed.
 */
export function checkShape(value: UnknownRecord, shape: Shape, place: Place): UnknownRecord {
  let result = value;
  for (const [key, type] of entriesOf(shape)) {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof member === 'string' && type.name === 'string' && !type.list) continue;
    let checked: unknown;
    if (member === undefined || (member === null && type.optional)) {
      if (!type.optional) report(place, key, `expected ${describe(type)}, found nothing`);
      if (member === undefined) continue;
    } else {
      checked = checkField(member, type, { place, key });
    }
    if (checked === member) continue;
    if (result === value) result = { ...value };
    if (checked === undefined) delete result[key];
    else result[key] = checked;
  }
  return result;
}

/** Checks a value against a named shape or choice of the table. */
export function checkNamed(value: unknown, name: string, place: Place): unknown {
  const checked = checkField(value, fieldType(name), { place, key: undefined });
  return checked === LEFT_OUT ? undefined : checked;
}

interface At {
  readonly place: Place;
  readonly key: string | number | undefined;
}

function checkField(value: unknown, type: FieldType, at: At): unknown {
  if (!type.list) return checkOne(value, type, at);
  if (!Array.isArray(value)) return fail(value, 'a list', at);
  if (type.filled && value.length === 0) return fail(value, 'a list of at least one', at);
  return checkList(value, type, placeOf(at));
}

function checkList(list: readonly unknown[], type: FieldType, place: Place): unknown {
  let result: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const checked = checkOne(item, type, { place, key: index });
    if (checked !== item && result === undefined) result = list.slice(0, index);
    if (checked !== LEFT_OUT) result?.push(checked);
  }
  return result ?? list;
}

function checkOne(value: unknown, type: FieldType, at: At): unknown {
  if (type.words !== undefined) {
    return typeof value === 'string' && type.words.includes(value) ? value : fail(value, describe(type), at);
  }
  switch (type.name) {
    case 'string':
      return typeof value === 'string' ? value : fail(value, 'a string', at);
    case 'any':
      return value;
    case 'integer':
      return Number.isSafeInteger(value) ? value : fail(value, 'an integer', at);
    case 'count':
      return Number.isSafeInteger(value) && Number(value) >= 0 ? value : fail(value, 'an integer from 0', at);
    case 'boolean':
      return typeof value === 'boolean' ? value : fail(value, 'a boolean', at);
    case 'record':
      return isRecord(value) ? value : fail(value, 'an object', at);
    case 'pointer':
      return typeof value === 'string' && JSON_POINTER.test(value)
        ? value
        : fail(value, 'a JSON pointer', at);
    case 'Content':
      if (typeof value === 'string') return value;
      if (!Array.isArray(value)) return fail(value, 'a string or a list of content parts', at);
      return checkList(value, fieldType('ContentPart[]'), placeOf(at));
    default:
      return checkPart(value, type, at);
  }
}

function checkPart(value: unknown, type: FieldType, at: At): unknown {
  if (!isRecord(value)) return fail(value, 'an object', at);
  const place = placeOf(at);
  const shape = PART_SHAPES[type.name];
  if (shape !== undefined) return checkShape(value, shape, place);
  const choice = CHOICES[type.name];
  if (choice === undefined) throw new Error(`The shape table has no ${type.name}`);
  const word = value[choice.by];
  const chosen = typeof word === 'string' && Object.hasOwn(choice.of, word) ? choice.of[word] : undefined;
  const chosenShape = chosen === undefined ? undefined : PART_SHAPES[chosen];
  if (chosenShape !== undefined) return checkShape(value, chosenShape, place);
  if (choice.strict || typeof word !== 'string') {
    report(place, choice.by, `expected one of ${Object.keys(choice.of).join(', ')}, found ${found(word)}`);
    return value;
  }
  place.findings.onUnknown?.(place.pointer);
  return LEFT_OUT;
}

function fail(value: unknown, expected: string, at: At): unknown {
  const place = placeOf(at);
  place.findings.issues.push({
    pointer: place.pointer,
    message: `expected ${expected}, found ${found(value)}`,
  });
  return value;
}

function report(place: Place, key: string, message: string): void {
  place.findings.issues.push({ pointer: childPointer(place.pointer, key), message });
}

function placeOf(at: At): Place {
  if (at.key === undefined) return at.place;
  return { pointer: childPointer(at.place.pointer, at.key), findings: at.place.findings };
}

function found(value: unknown): string {
  return typeof value === 'string' && value.length <= 40 ? JSON.stringify(value) : kindOf(value);
}

function describe(type: FieldType): string {
  if (type.words !== undefined) return type.words.map((word) => JSON.stringify(word)).join(' or ');
  if (type.list) return 'a list';
  if (type.name === 'any') return 'a value';
  return /^[A-Z]/.test(type.name) && type.name !== 'Content' ? 'an object' : `a ${type.name.toLowerCase()}`;
}

function entriesOf(shape: Shape): readonly Entry[] {
  const known = entries.get(shape);
  if (known !== undefined) return known;
  const made = Object.entries(shape).map(([key, text]): Entry => [key, fieldType(text)]);
  entries.set(shape, made);
  return made;
}
