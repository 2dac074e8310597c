import type { Issue } from '../../core/index.ts';
import { childPointer, HoldpointError, messageOf, parseUniqueJson } from '../../core/index.ts';
import { draftAt } from './draft.ts';
import type { Draft, Field, FieldOf, UploadedFile } from './field.ts';
import { isUploadedFile } from './field.ts';

/** What a draft comes to: a value, unless the field was left empty, and what cannot be read. */
export interface Reading {
  readonly value?: unknown;
  readonly issues: readonly Issue[];
}

/** Where the draft is in its answer. */
export interface ReadingPlace {
  readonly pointer: string;
  /** An empty text that is required is an empty text: what is edited had a value, and may have had this one. */
  readonly keepEmpty?: boolean;
}

const NOTHING: Reading = { issues: [] };

/** Reads what was entered: numbers are numbers, dates are times with a zone, an empty field is no member at all. */
export function readDraft(field: Field, draft: Draft, place: ReadingPlace = { pointer: '' }): Reading {
  const { pointer } = place;
  const reading = readKind(field, draft, place);
  if (reading.issues.length > 0 || 'value' in reading) return reading;
  if (!field.required) return NOTHING;
  if (field.nullable) return { value: null, issues: [] };
  if (field.kind === 'text' && place.keepEmpty === true) return { value: '', issues: [] };
  const message = field.kind === 'choice' ? 'Choose one of these.' : 'Fill this in.';
  return { issues: [{ pointer, message }] };
}

function readKind(field: Field, draft: Draft, place: ReadingPlace): Reading {
  const { pointer } = place;
  switch (field.kind) {
    case 'text':
      return readText(field, draft);
    case 'number':
      return readNumber(draft, pointer);
    case 'json':
      return readJson(draft, pointer);
    case 'boolean':
      return typeof draft === 'boolean' ? { value: draft, issues: [] } : NOTHING;
    case 'choice': {
      const option = typeof draft === 'number' ? field.options[draft] : undefined;
      return option === undefined ? NOTHING : { value: option.value, issues: [] };
    }
    case 'several': {
      const places = new Set(Array.isArray(draft) ? (draft as readonly Draft[]) : []);
      const chosen = field.options.filter((_, place) => places.has(place)).map(({ value }) => value);
      return chosen.length > 0 || field.required ? { value: chosen, issues: [] } : NOTHING;
    }
    case 'file':
      return isUploadedFile(draft) ? { value: reference(field, draft), issues: [] } : NOTHING;
    case 'object':
      return readObject(field, draft, place);
    case 'list': {
      const items = (Array.isArray(draft) ? (draft as readonly Draft[]) : []).map((item, index) =>
        readDraft(field.item, item, { ...place, pointer: childPointer(pointer, index) }),
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

function readNumber(draft: Draft, pointer: string): Reading {
  const text = typeof draft === 'string' ? draft.trim() : '';
  if (text === '') return NOTHING;
  // What a person of another country writes is told, not guessed: 1,5 may be 15.
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value)
    ? { value, issues: [] }
    : { issues: [{ pointer, message: 'Write a number, such as 12 or 12.5.' }] };
}

function readJson(draft: Draft, pointer: string): Reading {
  const text = typeof draft === 'string' ? draft.trim() : '';
  if (text === '') return NOTHING;
  try {
    return { value: parseUniqueJson(text), issues: [] };
  } catch (error) {
    const cause = HoldpointError.is(error) && error.cause instanceof SyntaxError ? error.cause : error;
    return { issues: [{ pointer, message: `This is not JSON: ${messageOf(cause)}` }] };
  }
}

function readObject(field: FieldOf<'object'>, draft: Draft, place: ReadingPlace): Reading {
  const members = field.fields.map((one) => ({
    name: one.name,
    ...readDraft(one, draftAt(draft, one.name), { ...place, pointer: childPointer(place.pointer, one.name) }),
  }));
  const given = members.filter((member) => 'value' in member);
  const isUntouched = given.every(({ value }) => value === false || value === null);
  // An optional group of which nothing was filled in asks for nothing.
  if (!field.required && isUntouched) return NOTHING;
  const issues = members.flatMap((member) => member.issues);
  if (issues.length > 0) return { issues };
  return { value: Object.fromEntries(given.map(({ name, value }) => [name, value])), issues };
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
