/** verify: the rules of a run's life, for producers and consumers alike. */
export { broken } from './broken.ts';
export { createVerifier } from './create-verifier.ts';
export { createVerifierWith } from './create-verifier-with.ts';
export type { StreamRules, Verifier } from './create-verifier-with.ts';
export type { Span } from './span.ts';
