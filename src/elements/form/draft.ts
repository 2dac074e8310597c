import { canonicalJson, isRecord, ownMember } from '../../core/index.ts';
import type { Draft, DraftRecord, Field } from './field.ts';
import { isDraftRecord } from './field.ts';

/** The draft of a value; without a value, the schema's default. */
export function draftFrom(field: Field, edited?: unknown): Draft {
  const value = edited ?? field.initial;
  switch (field.kind) {
    case 'object': {
      const record = isRecord(value) ? value : {};
      return Object.fromEntries(
        field.fields.map((one) => [one.name, draftFrom(one, ownMember(record, one.name))]),
      );
    }
    case 'list':
      return Array.isArray(value) ? value.map((item: unknown) => draftFrom(field.item, item)) : [];
    case 'several':
      return Array.isArray(value) ? value.flatMap((item: unknown) => placeOf(field.options, item) ?? []) : [];
    case 'choice':
      if (field.allowsOther === true && typeof value === 'string')
        return placeOf(field.options, value) ?? value;
      return field.options.length === 1 && field.required && field.allowsOther !== true
        ? 0
        : placeOf(field.options, value);
    case 'boolean':
      return typeof value === 'boolean' ? value : field.required ? false : undefined;
    case 'file':
      return undefined;
    case 'json':
      return value === undefined ? '' : JSON.stringify(value, undefined, 2);
    case 'number':
      return typeof value === 'number' ? String(value) : '';
    case 'text':
      return typeof value === 'string' ? shownText(value, field.input) : '';
    default:
      return field satisfies never;
  }
}

/** A date and time in the local form that `datetime-local` takes. */
function shownText(value: string, input: string): string {
  if (input !== 'datetime-local') return value;
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return value;
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function placeOf(options: readonly { readonly value: unknown }[], value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const text = canonicalJson(value);
  const index = options.findIndex((option) => canonicalJson(option.value) === text);
  return index < 0 ? undefined : index;
}

/** A copy of the draft with another value at a path. */
export function withDraft(draft: Draft, path: readonly (string | number)[], value: Draft): Draft {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const items: Draft[] = Array.isArray(draft) ? [...(draft as readonly Draft[])] : [];
    items[key] = withDraft(items[key], rest, value);
    return items;
  }
  const record: DraftRecord = isDraftRecord(draft) ? draft : {};
  return { ...record, [key]: withDraft(ownMember(record, key) as Draft, rest, value) };
}

/** The draft of a member or an item. */
export function draftAt(draft: Draft, key: string | number): Draft {
  if (typeof key === 'number') return Array.isArray(draft) ? (draft as readonly Draft[])[key] : undefined;
  return isDraftRecord(draft) && Object.hasOwn(draft, key) ? draft[key] : undefined;
}
