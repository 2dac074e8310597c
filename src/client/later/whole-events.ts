export { parseJson } from '../../core/json/index.ts';
export { decodeEvent } from '../../protocol/shapes/index.ts';
