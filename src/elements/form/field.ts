import type { UnknownRecord } from '../../core/index.ts';

/** One choice of several. */
export interface Option {
  readonly value: unknown;
  readonly label: string;
}

interface FieldBase {
  /** The name of the member that it is; empty for the whole answer. */
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly required: boolean;
  /** Nothing may be said with null. */
  readonly nullable: boolean;
  readonly initial?: unknown;
}

/** What a form shows for a part of a schema; what it has no control for is edited as JSON. */
export type Field =
  | (FieldBase & { readonly kind: 'text'; readonly input: TextInput; readonly placeholder?: string })
  | (FieldBase & {
      readonly kind: 'number';
      readonly minimum?: number;
      readonly maximum?: number;
      readonly step?: number;
    })
  | (FieldBase & { readonly kind: 'boolean' })
  | (FieldBase & { readonly kind: 'choice'; readonly options: readonly Option[] })
  | (FieldBase & { readonly kind: 'several'; readonly options: readonly Option[] })
  | (FieldBase & { readonly kind: 'object'; readonly fields: readonly Field[] })
  | (FieldBase & { readonly kind: 'list'; readonly item: Field; readonly maximum?: number })
  | (FieldBase & { readonly kind: 'file'; readonly file: FileRules })
  | (FieldBase & { readonly kind: 'json' });

export type FieldOf<Kind extends Field['kind']> = Extract<Field, { kind: Kind }>;

/** The type of the input that a text is typed into; `lines` is a text area. */
export type TextInput =
  | 'text'
  | 'lines'
  | 'email'
  | 'url'
  | 'password'
  | 'date'
  | 'time'
  | 'datetime-local'
  | 'tel';

/** What a file may be, and what its reference in the answer looks like. */
export interface FileRules {
  /** Media types and endings, as an `accept` attribute has them. */
  readonly accept?: string;
  readonly maxBytes?: number;
  /** The members that a reference has; undefined for the id alone. */
  readonly members?: readonly string[];
}

/** A file that was given to the thread; the answer refers to it. */
export interface UploadedFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

/**
 * What a person has entered so far: JSON in the shape of the fields, with text where a number or JSON is typed and
 * the places of options where one is chosen. It is kept over a reload as it is.
 */
export type Draft = string | boolean | number | undefined | readonly Draft[] | DraftRecord | UploadedFile;

export interface DraftRecord {
  readonly [member: string]: Draft;
}

export function isDraftRecord(draft: Draft): draft is DraftRecord {
  return typeof draft === 'object' && !Array.isArray(draft);
}

export function isUploadedFile(draft: unknown): draft is UploadedFile {
  if (typeof draft !== 'object' || draft === null) return false;
  const file = draft as UnknownRecord;
  return (
    typeof file['id'] === 'string' && typeof file['name'] === 'string' && typeof file['size'] === 'number'
  );
}
