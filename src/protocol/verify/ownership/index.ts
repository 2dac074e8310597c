/** ownership: which agent of a run each thing belongs to; a room of its own, since many runs have one agent only. */
export { createOwnerRules } from './create-owner-rules.ts';
