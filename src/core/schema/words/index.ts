/** core/schema/words: what is wrong with a value, for a person; needed only when something is. */
export { describeFailures } from './describe-failures.ts';
