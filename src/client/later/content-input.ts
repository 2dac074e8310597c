export { contentsToMessages, contentsToResume } from '../../content/writing/index.ts';
