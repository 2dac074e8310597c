/** resume: compares answers with the open interrupts and builds a `resume`. */
export { buildResume } from './build-resume.ts';
export type { Answer } from './build-resume.ts';
export { expiryOf, isExpired } from './is-expired.ts';
export { validateCoverage } from './validate-coverage.ts';
export type { Coverage } from './validate-coverage.ts';
