import type { Issue } from '../../core/index.ts';
import { childPointer, HoldpointError, messageOf, parseUniqueJson } from '../../core/index.ts';
import { draftAt } from './draft.ts';
import type { Draft, Field, FieldOf, UploadedFile } from './field.ts';
import { isUploadedFile } from './field.ts';
import { language, translate } from '../base/strings.ts';
import { typeOfValue } from './to-field.ts';

/** The result of reading a draft: a value, unless the field is empty, and the issues. */
export interface Reading {
  readonly value?: unknown;
  readonly issues: readonly Issue[];
  /** True when the issues only say that required fields are empty. Default false. */
  readonly isEmpty?: boolean;
}

/** The position of the draft in its answer. */
export interface DraftPosition {
  readonly pointer: string;
  /** True: a required empty text reads as an empty string, because the edited value may have had one. */
  readonly keepEmpty?: boolean;
}

const NOTHING: Reading = { issues: [] };

/** Reads a draft: numbers become numbers, dates get a time zone, an empty field is left out. */
export function readDraft(field: Field, draft: Draft, position: DraftPosition = { pointer: '' }): Reading {
  const { pointer } = position;
  const reading = readKind(field, draft, position);
  if (reading.issues.length > 0 || 'value' in reading) return reading;
  if (!field.required) return NOTHING;
  if (field.nullable) return { value: null, issues: [] };
  if (field.kind === 'text' && position.keepEmpty === true) return { value: '', issues: [] };
  const message = translate(
    field.kind === 'choice'
      ? 'Choose one of these.'
      : field.kind === 'file'
        ? 'Choose a file.'
        : 'Fill this in.',
  );
  return { issues: [{ pointer, message }], isEmpty: true };
}

function readKind(field: Field, draft: Draft, position: DraftPosition): Reading {
  const { pointer } = position;
  switch (field.kind) {
    case 'text':
      return readText(field, draft);
    case 'number':
      return readNumber(field, draft, pointer);
    case 'json':
      return readJson(field, draft, pointer);
    case 'boolean':
      return typeof draft === 'boolean' ? { value: draft, issues: [] } : NOTHING;
    case 'choice': {
      if (field.allowsOther === true && typeof draft === 'string')
        return draft.trim() === ''
          ? { issues: [{ pointer, message: translate('Fill this in.') }] }
          : { value: draft, issues: [] };
      const option = typeof draft === 'number' ? field.options[draft] : undefined;
      return option === undefined ? NOTHING : { value: option.value, issues: [] };
    }
    case 'several': {
      const indexes = new Set(Array.isArray(draft) ? (draft as readonly Draft[]) : []);
      const chosen = field.options.filter((_, index) => indexes.has(index)).map(({ value }) => value);
      return chosen.length > 0 || field.required ? { value: chosen, issues: [] } : NOTHING;
    }
    case 'file':
      return isUploadedFile(draft) ? { value: reference(field, draft), issues: [] } : NOTHING;
    case 'object':
      return readObject(field, draft, position);
    case 'list': {
      const items = (Array.isArray(draft) ? (draft as readonly Draft[]) : []).map((item, index) =>
        readDraft(field.item, item, { ...position, pointer: childPointer(pointer, index) }),
      );
      const issues = items.flatMap((item) => item.issues);
      if (items.length === 0 && !field.required) return NOTHING;
      return issues.length > 0 ? { issues } : { value: items.map(({ value }) => value), issues };
    }
    default:
      return field satisfies never;
  }
}

function readText(field: FieldOf<'text'>, draft: Draft): Reading {
  if (typeof draft !== 'string' || draft === '') return NOTHING;
  if (field.input !== 'datetime-local') return { value: draft, issues: [] };
  const time = new Date(draft);
  return { value: Number.isNaN(time.getTime()) ? draft : time.toISOString(), issues: [] };
}

function readNumber({ step }: FieldOf<'number'>, draft: Draft, pointer: string): Reading {
  const text = typeof draft === 'string' ? draft.trim() : '';
  if (text === '') return NOTHING;
  const value = parseNumber(text);
  if (value === undefined)
    return {
      issues: [
        {
          pointer,
          message: translate(
            step === 1 ? 'Write a whole number, such as 12.' : 'Write a number, such as 12 or 12.5.',
          ),
        },
      ],
    };
  const message = numberProblem(text);
  return message === undefined ? { value, issues: [] } : { issues: [{ pointer, message }] };
}

/** The number that a text says; undefined for every other text. */
export function parseNumber(text: string): number | undefined {
  // "1,5" is 1.5 in one country and 15 in another: report it, do not guess.
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text.trim());
  const value = isNumber ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** Why the number of a text may not be the one that a person means; undefined when it is clear and sent exactly. */
export function numberProblem(text: string): string | undefined {
  const given = text.trim();
  const [, whole = '', fraction = ''] = /^[+-]?([1-9]\d{0,2})\.(\d{3})$/.exec(given) ?? [];
  // Three digits after a point can be a group of thousands. A computer writes 1.125, but not 1.000.
  const isWritten = JSON.stringify(Number(given)) === given && !hasDecimalComma();
  if (fraction === '' || isWritten) return roundingProblem(given);
  return translate(
    '“{0}” can mean {1} or {2}. Write {2} without a point, or {3}.',
    given,
    JSON.stringify(Number(`${whole}.${fraction}`)),
    `${whole}${fraction}`,
    fraction === '000' ? whole : `${whole}.${fraction}0`,
  );
}

function hasDecimalComma(): boolean {
  return (1.5).toLocaleString(language()).includes(',');
}

/** Says that the number of a text would be sent as another number; undefined when it is sent exactly. */
function roundingProblem(text: string): string | undefined {
  const sent = JSON.stringify(Number(text));
  return digitsOf(text) === digitsOf(sent)
    ? undefined
    : translate('This number cannot be sent exactly: it would become {0}.', sent);
}

/** A decimal number without its sign, in the only form that equal numbers share: "12e-1" for 1.2, 1.20 and 120e-2. */
function digitsOf(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^[+-]?(\d*)\.?(\d*)(?:e(.+))?$/i.exec(text.trim()) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return digits === '' ? '' : `${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`;
}

/** The strings and the numbers of a JSON text. */
const JSON_VALUES = /"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*/gi;

/** The same for the whole numbers of a JSON text. Programs write fractions with more digits than they keep. */
function roundingProblemInJson(text: string): string | undefined {
  for (const [value] of text.matchAll(JSON_VALUES)) {
    const problem = /^-?\d+$/.test(value) ? roundingProblem(value) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Words that start like this are meant as JSON. */
const JSON_START = /^[{["]/;

/** Reads JSON. Where the field takes a text, other words are a text, and so is JSON of a type that the field does not take. */
function readJson({ takesText, types }: FieldOf<'json'>, draft: Draft, pointer: string): Reading {
  const typed = typeof draft === 'string' ? draft : '';
  const text = typed.trim();
  if (text === '') return NOTHING;
  try {
    const value = parseUniqueJson(text);
    if (types !== undefined && !types.some((type) => isOfType(value, type)) && !JSON_START.test(text))
      return { value: typed, issues: [] };
    const message = roundingProblemInJson(text);
    return message === undefined ? { value, issues: [] } : { issues: [{ pointer, message }] };
  } catch (error) {
    const isSyntax = HoldpointError.is(error) && error.cause instanceof SyntaxError;
    if (takesText === true && isSyntax && !JSON_START.test(text)) return { value: typed, issues: [] };
    const cause = isSyntax ? error.cause : error;
    const message =
      takesText === true
        ? translate('This looks like JSON but does not parse: {0}. Fix it, or quote it.', messageOf(cause))
        : translate('This is not JSON: {0}', messageOf(cause));
    return { issues: [{ pointer, message }] };
  }
}

function isOfType(value: unknown, type: string): boolean {
  return typeOfValue(value) === (type === 'integer' ? 'number' : type);
}

/** Whether the entered words of a field are sent as a text or as JSON; undefined for an empty field and for words that cannot be read. */
export function takenAs(field: FieldOf<'json'>, draft: Draft): 'text' | 'JSON' | undefined {
  const { value } = readJson(field, draft, '');
  if (value === undefined) return undefined;
  return value === draft ? 'text' : 'JSON';
}

function readObject(field: FieldOf<'object'>, draft: Draft, position: DraftPosition): Reading {
  const members = field.fields.map((one) => ({
    name: one.name,
    ...readDraft(one, draftAt(draft, one.name), {
      ...position,
      pointer: childPointer(position.pointer, one.name),
    }),
  }));
  const filled = members.filter((member) => 'value' in member);
  const hasText = members.some((member) => member.issues.length > 0 && member.isEmpty !== true);
  const isEmpty = !hasText && filled.every(({ value }) => value === false || value === null);
  // An untouched optional group is left out, even when its members are required. Text that cannot be read is no reason
  // to leave it out: the person meant to send it.
  if (!field.required && isEmpty) return NOTHING;
  const issues = members.flatMap((member) => member.issues);
  if (issues.length > 0) return { issues, isEmpty };
  return { value: Object.fromEntries(filled.map(({ name, value }) => [name, value])), issues };
}

function reference({ file: { members } }: FieldOf<'file'>, file: UploadedFile): unknown {
  if (members === undefined) return file.id;
  const { id, name, type, size } = file;
  const known: Readonly<Record<string, unknown>> = {
    id,
    name,
    type,
    size,
    fileId: id,
    fileName: name,
    mediaType: type,
    url: `files/${id}`,
  };
  return Object.fromEntries(members.map((member) => [member, known[member]]));
}
