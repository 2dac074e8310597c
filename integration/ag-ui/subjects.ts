import type { Subject } from '../run-scenarios.ts';

const noSchema = 'the draft has no response schema; its server checks the answer';
const one = 'the draft has room for one interrupt: the server asks one after the other';

export const SUBJECTS: readonly Subject[] = [
  { agent: 'url', title: 'AG-UI 1.0 address', package: '@ag-ui/client' },
  {
    agent: 'draft',
    title: 'AG-UI draft address',
    package: '@ag-ui/client',
    cannot: { several: one, mixed: one, edit: noSchema, input: noSchema },
  },
  { agent: 'abstract', title: 'AG-UI `AbstractAgent`', package: '@ag-ui/client' },
];
