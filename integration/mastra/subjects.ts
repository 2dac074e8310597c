import type { Subject } from '../run-scenarios.ts';

const ONE = 'the agent asks for one call after the other';

export const SUBJECTS: readonly Subject[] = [
  {
    agent: 'agent',
    title: 'Mastra agent',
    package: '@mastra/core',
    cannot: {
      edit: 'Mastra approves or declines a call, and takes no other arguments',
      several: ONE,
      mixed: ONE,
    },
  },
  {
    agent: 'workflow',
    title: 'Mastra workflow',
    package: '@mastra/core',
    cannot: { image: 'a workflow takes text; a file ends the run with the reason' },
  },
];
