import type { Subject } from '../run-scenarios.ts';

export const SUBJECTS: readonly Subject[] = [{ agent: 'agent', title: 'Genkit', package: 'genkit' }];
