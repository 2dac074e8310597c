/** Limits for a JSON Schema and for the work of one validation. */
export interface SchemaLimits {
  /** Characters of its canonical JSON; default 100,000. */
  readonly maxLength: number;
  /** Values of any kind in it; default 10,000. */
  readonly maxNodes: number;
  /** Levels of nested objects and arrays; default 50. */
  readonly maxDepth: number;
  /** Subschemas checked and failures described in one validation; default 1,000,000. */
  readonly maxSteps: number;
}

/** The default limits. */
export const DEFAULT_SCHEMA_LIMITS: SchemaLimits = {
  maxLength: 100_000,
  maxNodes: 10_000,
  maxDepth: 50,
  maxSteps: 1_000_000,
};
