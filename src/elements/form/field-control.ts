import type { Draft, UploadedFile } from './field.ts';

/** What a control needs of the form that it is in. */
export interface FieldControl {
  /** The prefix of the ids in this form; two forms of a page have two. */
  readonly formId: string;
  readonly disabled: boolean;
  /** What is wrong at a place, if anything. */
  problemAt(pointer: string): string | undefined;
  set(path: readonly (string | number)[], draft: Draft): void;
  /** Undefined where files cannot be taken. */
  readonly upload: Upload | undefined;
  /** How far an upload has come, 0 to 1; undefined when none is under way. */
  progressAt(pointer: string): number | undefined;
  startUpload(path: readonly (string | number)[], file: File): void;
}

/** Gives a file to the thread; its answer then refers to it. */
export type Upload = (file: File, onProgress: (share: number) => void) => Promise<UploadedFile>;

/** The attributes that tie a control to its texts. */
export interface ControlNames {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly problem: string | undefined;
}

/** The id of the control for a place in the answer. */
export function controlId(formId: string, pointer: string): string {
  return `${formId}-${pointer.replaceAll(/[^\w-]/g, '_')}`;
}
