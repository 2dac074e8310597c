import type { Subject } from '../run-scenarios.ts';

export const SUBJECTS: readonly Subject[] = [
  {
    agent: 'agent',
    title: 'OpenAI Agents',
    package: '@openai/agents',
    cannot: {
      edit: 'the SDK approves or rejects a call, and takes no other arguments',
      input: 'the SDK pauses for approvals only',
    },
  },
];
