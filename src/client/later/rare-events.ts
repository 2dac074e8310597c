export { applyRareEvent } from '../../protocol/apply/rare/index.ts';
