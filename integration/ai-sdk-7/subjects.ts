import { CANNOT } from '../ai-sdk/subjects.ts';
import type { Subject } from '../run-scenarios.ts';

const about = { package: 'ai', cannot: CANNOT };

export const SUBJECTS: readonly Subject[] = [
  { agent: 'agent', title: 'AI SDK 7 agent', ...about },
  { agent: 'streamText', title: 'AI SDK 7 `streamText`', ...about },
  { agent: 'approvalFunction', title: 'AI SDK 7 approval function', ...about },
  { agent: 'signed', title: 'AI SDK 7 signed approvals', ...about },
  { agent: 'delegation', title: 'AI SDK 7 approved delegation', ...about },
  { agent: 'needsApproval', title: 'AI SDK 7 `needsApproval`', ...about },
];
