import type { Draft, UploadedFile } from './field.ts';

/** The parts of a form that its controls use. */
export interface FieldControl {
  /** Prefix of the element ids in this form, unique per page. */
  readonly formId: string;
  readonly disabled: boolean;
  /** The problem at a pointer, if any. */
  problemAt(pointer: string): string | undefined;
  set(path: readonly (string | number)[], draft: Draft): void;
  /** Undefined when the form cannot upload files. */
  readonly upload: Upload | undefined;
  /** Progress of an upload from 0 to 1; undefined when no upload is in progress. */
  progressAt(pointer: string): number | undefined;
  startUpload(path: readonly (string | number)[], file: File): void;
}

/** Uploads a file to the thread; the answer then refers to the file. */
export type Upload = (file: File, onProgress: (share: number) => void) => Promise<UploadedFile>;

/** Ids and attributes that connect a control to its label, description and problem. */
export interface ControlNames {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly problem: string | undefined;
}

/** The element id of the control at a pointer. */
export function controlId(formId: string, pointer: string): string {
  return `${formId}-${pointer.replaceAll(/[^\w-]/g, '_')}`;
}
