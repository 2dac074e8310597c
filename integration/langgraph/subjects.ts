import type { Subject } from '../run-scenarios.ts';

const graph = '@langchain/langgraph';
const decision =
  'this agent asks for a decision only; an agent that takes other arguments is in the row above';
const one = 'this agent asks for one payment after the other';
const all = 'a breakpoint stops before every call of a step';
const approvals = '`humanInTheLoopMiddleware` asks for approvals only; a tool can call `interrupt()` itself';
const rejected = 'the middleware drops the approved calls of a message when one of its calls is rejected';

export const SUBJECTS: readonly Subject[] = [
  { agent: 'graph', title: 'LangGraph node', package: graph },
  {
    agent: 'nodes',
    title: 'LangGraph approve node, action node',
    package: graph,
    recalls: false,
    cannot: { edit: decision, input: decision, several: one, mixed: one },
  },
  { agent: 'tool', title: 'LangChain tool with `interrupt()`', package: 'langchain' },
  {
    agent: 'loop',
    title: 'LangGraph validation loop',
    package: graph,
    recalls: false,
    cannot: {
      edit: decision,
      input: 'without a schema, the graph checks the answer itself',
      several: one,
      mixed: one,
    },
  },
  { agent: 'subgraph', title: 'LangGraph `Send` to subgraphs', package: graph, cannot: { input: decision } },
  { agent: 'deep', title: 'LangGraph subgraphs in subgraphs', package: graph, cannot: { input: decision } },
  {
    agent: 'functional',
    title: 'LangGraph functional API',
    package: graph,
    cannot: { edit: decision, input: decision, several: one, mixed: one },
  },
  {
    agent: 'breakpoint',
    title: 'LangGraph `interruptBefore`',
    package: graph,
    cannot: { edit: decision, input: decision, several: all, mixed: all },
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
