/** ownership: which agent of a run each thing belongs to. */
export { createOwnerRules } from './create-owner-rules.ts';
