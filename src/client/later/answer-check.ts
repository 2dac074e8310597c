export { assertAnswer } from '../../content/questions/index.ts';
