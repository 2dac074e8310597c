import type { Subject } from '../run-scenarios.ts';

export const SUBJECTS: readonly Subject[] = [
  { agent: 'agent', title: 'Genkit, restartable tool', package: 'genkit' },
  { agent: 'page', title: 'Genkit, `resumed.status`', package: 'genkit' },
  { agent: 'middleware', title: 'Genkit `toolApproval`', package: 'genkit' },
];
