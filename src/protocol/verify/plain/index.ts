/** plain: tells a run that breaks no rule; a room of its own, so that a page loads the rules themselves when one may be broken. */
export { createPlainVerifier } from './create-plain-verifier.ts';
