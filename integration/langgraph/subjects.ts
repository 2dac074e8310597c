import type { Subject } from '../run-scenarios.ts';

export const SUBJECTS: readonly Subject[] = [
  { agent: 'graph', title: 'LangGraph', package: '@langchain/langgraph' },
  {
    agent: 'middleware',
    title: 'LangChain middleware',
    package: 'langchain',
    cannot: {
      input: '`humanInTheLoopMiddleware` asks for approvals only; a tool can call `interrupt()` itself',
      mixed: 'the middleware drops the approved calls of a message when one of its calls is rejected',
    },
  },
];
