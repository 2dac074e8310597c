export { decodeEvent } from '../../protocol/shapes/index.ts';
