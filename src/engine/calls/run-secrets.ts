/**
 * Secrets that people answered with, where a store keeps the answers. Whatever a run keeps has only what stands for them;
 * they are put back at the moment an answer reaches the body that asked.
 */
export interface RunSecrets {
  /** Whether an answer with secrets can be kept at all. */
  readonly canKeep: boolean;
  /** Whether a value holds something that stands for a secret. */
  holds(value: unknown): boolean;
  /** An answer with its secrets in their places; the very value when it has none. */
  open(value: unknown): unknown;
}
