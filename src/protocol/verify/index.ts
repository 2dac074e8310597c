/** verify: the rules of a run, for producers and consumers. */
export { createVerifier } from './create-verifier.ts';
export type { Verifier } from './create-verifier.ts';
