import type { Subject } from '../run-scenarios.ts';

const about = {
  package: '@openai/agents',
  cannot: {
    edit: 'the SDK approves or rejects a call, and takes no other arguments',
    input: 'the SDK pauses for approvals only',
  },
};

export const SUBJECTS: readonly Subject[] = [
  { agent: 'agent', title: 'OpenAI Agents', ...about },
  { agent: 'nested', title: 'OpenAI Agents, an agent as a tool asks', ...about },
  { agent: 'agentTool', title: 'OpenAI Agents, approval on an agent as a tool', ...about },
  // The next message goes to the agent that took over.
  { agent: 'handoff', title: 'OpenAI Agents handoff', smallTalk: /^Payer: You said hello again/, ...about },
  { agent: 'context', title: 'OpenAI Agents context with methods', ...about },
  { agent: 'strict', title: 'OpenAI Agents without `errorFunction`', ...about },
];
