/** Says what could not be applied. */
export type Warn = (warning: string) => void;

/** The sentence of an error, for a warning. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
