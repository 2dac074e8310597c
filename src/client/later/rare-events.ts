export { applyRareEvent } from '../../protocol/apply/rare/index.ts';
export { createOwnerRules } from '../../protocol/verify/ownership/index.ts';
