import type { Subject } from '../run-scenarios.ts';

const ONE = 'the agent asks for one call after the other';
const NEXT = 'the workflow asks for one step after the other';
const EDIT = 'Mastra approves or declines a call, and takes no other arguments';
const TOOL =
  'Mastra cannot resume a workflow that was lost while it ran as a tool, so the choice is not offered';
const NO_INPUT = 'this workflow asks for approvals only';
const TEXT = 'a workflow takes text; a file ends the run with the reason';

const UNSEEN = 'the host sees the question of a step, not the call that follows it';

const WORKFLOW = { package: '@mastra/core', recalls: false } as const;

export const SUBJECTS: readonly Subject[] = [
  {
    agent: 'agent',
    title: 'Mastra agent, `requireApproval`',
    package: '@mastra/core',
    cannot: { edit: EDIT, several: ONE, mixed: ONE },
  },
  {
    agent: 'function',
    title: 'Mastra agent, `requireApproval` function',
    package: '@mastra/core',
    cannot: { edit: EDIT, several: ONE, mixed: ONE },
  },
  {
    agent: 'suspending',
    title: 'Mastra agent, tool that suspends',
    package: '@mastra/core',
    cannot: { policy: UNSEEN, several: ONE, mixed: ONE },
  },
  {
    agent: 'caller',
    title: 'Mastra agent, workflow as a tool',
    package: '@mastra/core',
    cannot: { policy: UNSEEN, several: ONE, mixed: ONE, again: TOOL },
  },
  {
    agent: 'supervisor',
    title: 'Mastra supervisor',
    package: '@mastra/core',
    cannot: { edit: EDIT, several: ONE, mixed: ONE },
  },
  {
    agent: 'parallel',
    title: 'Mastra workflow, `parallel`',
    ...WORKFLOW,
    cannot: { policy: UNSEEN, image: TEXT },
  },
  {
    agent: 'sequence',
    title: 'Mastra workflow, `bail`',
    ...WORKFLOW,
    cannot: { policy: UNSEEN, image: TEXT, several: NEXT, mixed: NEXT },
  },
  {
    agent: 'nested',
    title: 'Mastra workflow, nested',
    ...WORKFLOW,
    cannot: { policy: UNSEEN, image: TEXT, input: NO_INPUT, several: NEXT, mixed: NEXT },
  },
  {
    agent: 'foreach',
    title: 'Mastra workflow, `foreach`',
    ...WORKFLOW,
    cannot: { policy: UNSEEN, image: TEXT, input: NO_INPUT, several: NEXT, mixed: NEXT },
  },
  {
    agent: 'until',
    title: 'Mastra workflow, `dountil`',
    ...WORKFLOW,
    cannot: { policy: UNSEEN, image: TEXT, input: NO_INPUT, several: NEXT, mixed: NEXT },
  },
];
