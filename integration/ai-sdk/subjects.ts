import type { Subject } from '../run-scenarios.ts';

export const CANNOT = { edit: 'the SDK takes a decision and a reason, not other arguments' };

const about = { package: 'ai', cannot: CANNOT };

export const SUBJECTS: readonly Subject[] = [
  { agent: 'agent', title: 'AI SDK 6 agent', ...about },
  { agent: 'streamText', title: 'AI SDK 6 `streamText`', ...about },
  { agent: 'approvalFunction', title: 'AI SDK 6 `needsApproval` function', ...about },
  { agent: 'delegation', title: 'AI SDK 6 approved delegation', ...about },
];
