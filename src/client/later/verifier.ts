export { createVerifier } from '../../protocol/verify/index.ts';
