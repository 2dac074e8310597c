import type { Subject } from '../run-scenarios.ts';

export const CANNOT = { edit: 'the SDK takes a decision and a reason, not other arguments' };

export const SUBJECTS: readonly Subject[] = [
  { agent: 'agent', title: 'AI SDK 6 agent', package: 'ai', cannot: CANNOT },
  { agent: 'streamText', title: 'AI SDK 6 `streamText`', package: 'ai', cannot: CANNOT },
];
