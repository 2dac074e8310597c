export { judgePattern } from '../../core/schema/pattern/index.ts';
