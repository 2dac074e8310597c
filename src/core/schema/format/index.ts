/** core/schema/format: the formats that are checked; needed only for a schema that names one. */
export { fitsFormat, isFormat } from './fits-format.ts';
