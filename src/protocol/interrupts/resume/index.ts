/** resume: whether answers cover the open questions, and how they are put together. */
export { buildResume } from './build-resume.ts';
export type { Answer } from './build-resume.ts';
export { expiryOf, isExpired } from './is-expired.ts';
export { validateCoverage } from './validate-coverage.ts';
export type { Coverage } from './validate-coverage.ts';
