export { patchJson } from '../../protocol/patch/index.ts';
