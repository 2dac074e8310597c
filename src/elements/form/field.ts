import type { UnknownRecord } from '../../core/index.ts';

/** One option of a choice. */
export interface Option {
  readonly value: unknown;
  readonly label: string;
}

interface FieldBase {
  /** Name of the member; empty for the root of the answer. */
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly required: boolean;
  /** True when the value may be null. */
  readonly nullable: boolean;
  readonly initial?: unknown;
}

/** How a form shows a part of a schema; a part without a control is edited as JSON. */
export type Field =
  | (FieldBase & { readonly kind: 'text'; readonly input: TextInput; readonly placeholder?: string })
  | (FieldBase & {
      readonly kind: 'number';
      readonly minimum?: number;
      readonly maximum?: number;
      readonly step?: number;
    })
  | (FieldBase & { readonly kind: 'boolean' })
  | (FieldBase & {
      readonly kind: 'choice';
      readonly options: readonly Option[];
      /** True when a person may write a text that is no option. */
      readonly allowsOther?: true;
    })
  | (FieldBase & { readonly kind: 'several'; readonly options: readonly Option[] })
  | (FieldBase & { readonly kind: 'object'; readonly fields: readonly Field[] })
  | (FieldBase & { readonly kind: 'list'; readonly item: Field; readonly maximum?: number })
  | (FieldBase & { readonly kind: 'file'; readonly file: FileRules })
  | (FieldBase & {
      readonly kind: 'json';
      /** True when a text is a value too: words that are not JSON are then a text. */
      readonly takesText?: true;
      /** The JSON types of its values; JSON of another type is then a text. Default: every type. */
      readonly types?: readonly string[];
    });

/** The field of one kind. */
export type FieldOf<Kind extends Field['kind']> = Extract<Field, { kind: Kind }>;

/** The input type of a text; `lines` is a text area. */
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

/** Rules for a file, and the form of its reference in the answer. */
export interface FileRules {
  /** Media types and file extensions, as in an `accept` attribute. */
  readonly accept?: string;
  readonly maxBytes?: number;
  /** Members of a reference; undefined when the reference is the id alone. */
  readonly members?: readonly string[];
}

/** A file that was uploaded to the thread; the answer refers to it. */
export interface UploadedFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

/**
 * The entered values: JSON in the shape of the fields, with text where a number or JSON is typed, an option's
 * index where one is chosen, and the text of a choice that is no option. Drafts survive a reload.
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
