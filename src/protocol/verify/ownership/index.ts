/** ownership: the agent that each part of a run belongs to. */
export { createOwnerRules } from './create-owner-rules.ts';
