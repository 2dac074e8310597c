/** verify: the rules of a run's life, for producers and consumers alike. */
export { createVerifier } from './create-verifier.ts';
export type { Verifier } from './create-verifier.ts';
