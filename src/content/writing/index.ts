/** writing: content parts as messages and answers; a room of its own, so that a client can load nothing else. */
export { contentsToMessages } from './contents-to-messages.ts';
export type { ContentRole } from './contents-to-messages.ts';
export { contentsToResume } from './contents-to-resume.ts';
