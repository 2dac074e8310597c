import type { Issue, UnknownRecord } from '../../core/index.ts';
import { childPointer, isRecord, kindOf, ownMember } from '../../core/index.ts';
import type { Field, Shape } from './shape.ts';
import { fieldsOf } from './shape.ts';
import { SHAPES } from './shape-table.ts';

/** The result of a check in progress. */
interface Findings {
  readonly issues: Issue[];
  /** The members that lead to the current position. */
  readonly path: (string | number)[];
  /** Called with the pointer of a list item of a newer protocol; the item is dropped. */
  readonly onUnknown: ((pointer: string) => void) | undefined;
  /** The current form of a part of an earlier protocol; undefined for another part. */
  readonly upgrade: Upgrade | undefined;
}

export type Upgrade = (part: UnknownRecord) => UnknownRecord | undefined;

type Primitive = readonly [words: string, fits: (value: unknown) => boolean];

const JSON_POINTER = /^(?:\/(?:[^/~]|~[01])*)*$/;
const LEFT_OUT = Symbol('left out');
const PRIMITIVES = new Map<string, Primitive>([
  ['any', ['a value', () => true]],
  ['none', ['nothing', () => false]],
  ['string', ['a string', isText]],
  ['integer', ['an integer', Number.isSafeInteger]],
  ['count', ['an integer from 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0]],
  ['boolean', ['a boolean', (value) => typeof value === 'boolean']],
  ['record', ['an object', isRecord]],
  ['pointer', ['a JSON pointer', (value) => isText(value) && JSON_POINTER.test(value)]],
]);

/** Empty findings. */
export function newFindings(onUnknown: Findings['onUnknown'], upgrade?: Upgrade): Findings {
  return { issues: [], path: [], onUnknown, upgrade };
}

/**
 * Checks an object against a shape. Optional members that are null count as absent (the protocol never writes
 * null); unknown members stay. Returns the same object when nothing changed.
 */
export function checkShape(value: UnknownRecord, shape: Shape, findings: Findings): UnknownRecord {
  let result = value;
  for (const field of fieldsOf(shape)) {
    const { key, optional } = field;
    const member = ownMember(value, key);
    if (member === undefined ? optional : isText(member) && field.name === 'string' && !field.list) continue;
    findings.path.push(key);
    const checked = member === null && optional ? undefined : checkField(member, field, findings);
    findings.path.pop();
    if (checked === member) continue;
    if (result === value) result = { ...value };
    if (checked === undefined) delete result[key];
    else result[key] = checked;
  }
  return result;
}

function checkField(value: unknown, field: Field, findings: Findings): unknown {
  if (value === undefined) return fail(value, missing(field), findings);
  if (!field.list) return checkOne(value, field, findings);
  if (!Array.isArray(value)) return fail(value, 'a list', findings);
  if (field.filled && value.length === 0) return fail(value, 'a list of at least one', findings);
  return checkList(value, field, findings);
}

function checkList(list: readonly unknown[], type: ItemType, findings: Findings): unknown {
  let result: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    findings.path.push(index);
    const checked = checkOne(item, type, findings);
    findings.path.pop();
    if (checked !== item) result ??= list.slice(0, index);
    if (checked !== LEFT_OUT) result?.push(checked);
  }
  return result ?? list;
}

type ItemType = Pick<Field, 'name' | 'words'>;

function checkOne(value: unknown, { name, words }: ItemType, findings: Findings): unknown {
  if (words !== undefined) {
    return isText(value) && words.includes(value) ? value : fail(value, choiceOf(words), findings);
  }
  const primitive = PRIMITIVES.get(name);
  if (primitive !== undefined) return primitive[1](value) ? value : fail(value, primitive[0], findings);
  if (name !== 'Content') return checkPart(value, name, findings);
  if (isText(value)) return value;
  if (!Array.isArray(value)) return fail(value, 'a string or a list of content parts', findings);
  return checkList(value, { name: 'ContentPart', words }, findings);
}

/** Checks a value against a named shape or choice of the table. */
export function checkPart(value: unknown, name: string, findings: Findings): unknown {
  if (!isRecord(value)) return fail(value, 'an object', findings);
  const choice = SHAPES.choices[name];
  if (choice === undefined) return checkShape(value, SHAPES.parts[name] ?? '', findings);
  const { by, of, strict } = choice;
  const word = value[by];
  if (isText(word) && Object.hasOwn(of, word)) return checkPart(value, of[word] ?? '', findings);
  if (isText(word) && strict !== true) {
    const current = findings.upgrade?.(value);
    if (current !== undefined) return checkPart(current, name, findings);
    findings.onUnknown?.(pointerOf(findings));
    return LEFT_OUT;
  }
  findings.path.push(by);
  fail(word, `one of ${Object.keys(of).join(', ')}`, findings);
  findings.path.pop();
  return value;
}

function fail(value: unknown, expected: string, findings: Findings): unknown {
  const found = isText(value) && value.length <= 40 ? JSON.stringify(value) : kindOf(value);
  findings.issues.push({ pointer: pointerOf(findings), message: `expected ${expected}, found ${found}` });
  return value;
}

function pointerOf({ path }: Findings): string {
  return path.reduce<string>(childPointer, '');
}

/** The expected type of a missing member, in words. */
function missing({ name, words, list }: Field): string {
  if (words !== undefined) return choiceOf(words);
  if (list) return 'a list';
  if (name === 'any') return 'a value';
  return /^[A-Z]/.test(name) && name !== 'Content' ? 'an object' : `a ${name.toLowerCase()}`;
}

function choiceOf(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(' or ');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
