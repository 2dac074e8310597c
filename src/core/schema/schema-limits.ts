/** How large a JSON Schema may be, and how much work one validation may cause. */
export interface SchemaLimits {
  /** Characters of its canonical JSON; default 100,000. */
  readonly maxLength: number;
  /** Values in it, of any kind; default 10,000. */
  readonly maxNodes: number;
  /** Objects and arrays inside each other; default 50. */
  readonly maxDepth: number;
  /** Subschemas tried and failures described in one validation; default 1,000,000. */
  readonly maxSteps: number;
}

export const DEFAULT_SCHEMA_LIMITS: SchemaLimits = {
  maxLength: 100_000,
  maxNodes: 10_000,
  maxDepth: 50,
  maxSteps: 1_000_000,
};
