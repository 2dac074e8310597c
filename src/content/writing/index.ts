/** writing: writes content parts as messages and answers. A separate entry, so that a client loads only this. */
export { contentsToMessages } from './contents-to-messages.ts';
export type { ContentRole } from './contents-to-messages.ts';
export { contentsToResume } from './contents-to-resume.ts';
