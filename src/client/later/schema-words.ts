export { describeFailures } from '../../core/schema/words/index.ts';
