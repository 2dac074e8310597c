/**
 * core/schema/pattern: judges regular expressions from outside before anybody runs them.
 * Pure text analysis; imports nothing.
 */
export { isSafePattern, judgePattern } from './judge-pattern.ts';
export type { PatternVerdict } from './judge-pattern.ts';
