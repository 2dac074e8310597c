import { CANNOT } from '../ai-sdk/subjects.ts';
import type { Subject } from '../run-scenarios.ts';

export const SUBJECTS: readonly Subject[] = [
  { agent: 'agent', title: 'AI SDK 7 agent', package: 'ai', cannot: CANNOT },
  { agent: 'streamText', title: 'AI SDK 7 `streamText`', package: 'ai', cannot: CANNOT },
];
