import type { Subject } from '../run-scenarios.ts';

const graph = '@langchain/langgraph';
const decision =
  'this agent asks for a decision only; the rows LangGraph node and LangChain tool show the rest';
const one = 'this agent asks for one payment after the other';
const all = 'a breakpoint stops before every call of a step';
const approvals = '`humanInTheLoopMiddleware` asks for approvals only; a tool can call `interrupt()` itself';
const rejected = 'the middleware drops the approved calls of a message when one of its calls is rejected';

const unseen = 'the host sees the question of a graph, not the call that follows it';

export const SUBJECTS: readonly Subject[] = [
  { agent: 'graph', title: 'LangGraph node', package: graph, cannot: { policy: unseen } },
  {
    agent: 'nodes',
    title: 'LangGraph approve node, action node',
    package: graph,
    recalls: false,
    cannot: { policy: unseen, edit: decision, input: decision, several: one, mixed: one },
  },
  {
    agent: 'tool',
    title: 'LangChain tool with `interrupt()`',
    package: 'langchain',
    cannot: { policy: unseen },
  },
  {
    agent: 'loop',
    title: 'LangGraph validation loop',
    package: graph,
    recalls: false,
    cannot: {
      policy: unseen,
      edit: decision,
      input: 'without a schema, the graph checks the answer itself',
      several: one,
      mixed: one,
    },
  },
  {
    agent: 'subgraph',
    title: 'LangGraph `Send` to subgraphs',
    package: graph,
    cannot: { policy: unseen, input: decision },
  },
  {
    agent: 'deep',
    title: 'LangGraph subgraphs in subgraphs',
    package: graph,
    cannot: { policy: unseen, input: decision },
  },
  {
    agent: 'functional',
    title: 'LangGraph functional API',
    package: graph,
    cannot: { policy: unseen, edit: decision, input: decision, several: one, mixed: one },
  },
  {
    agent: 'breakpoint',
    title: 'LangGraph `interruptBefore`',
    package: graph,
    cannot: { policy: unseen, edit: decision, input: decision, several: all, mixed: all },
  },
  {
    agent: 'middleware',
    title: 'LangChain middleware',
    package: 'langchain',
    cannot: { input: approvals, mixed: rejected },
  },
  {
    agent: 'supervisor',
    title: 'LangChain supervisor',
    package: 'langchain',
    cannot: { input: approvals, mixed: rejected },
  },
];
