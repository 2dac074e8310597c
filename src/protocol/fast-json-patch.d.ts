// The package only has types for its index; these are the used members of its core module.
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
