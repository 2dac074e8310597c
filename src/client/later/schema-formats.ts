export { fitsFormat, isFormat } from '../../core/schema/format/index.ts';
