// The package ships types for its index only; this is the slice of its core module that we use.
declare module 'fast-json-patch/module/core.mjs' {
  export interface OperationResult {
    readonly newDocument: unknown;
  }
  /** Applies one operation in place; throws when `validate` is set and the operation cannot be applied. */
  export function applyOperation(
    document: unknown,
    operation: object,
    validate: boolean,
    mutate: boolean,
  ): OperationResult;
}
