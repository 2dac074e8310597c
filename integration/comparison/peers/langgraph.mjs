import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Command, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import { nextTurn } from '../world.mjs';

/** A graph of one's own with a call of `interrupt()` in the node that runs the tools, as in the documentation of LangGraph. */
export function buildGraph(world) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', ({ messages }) => ({ messages: [sayNext(messages)] }))
    .addNode('tools', ({ messages }) => {
      const [{ id, name, args }] = messages.at(-1).tool_calls;
      const given = interrupt({ name, args });
      const result = (content) => ({ messages: [new ToolMessage({ content, tool_call_id: id, name })] });
      if (name === 'askEmail') return result(`signed up ${given.email}`);
      return result(given.approved ? world.pay(args.amount) : 'rejected');
    })
    .addEdge(START, 'model')
    .addConditionalEdges(
      'model',
      ({ messages }) => (messages.at(-1).tool_calls?.length ? 'tools' : '__end__'),
      ['tools', '__end__'],
    )
    .addEdge('tools', 'model');
}

/** What a caller sees of a state: the ids of its interrupts, and the newest text. */
export function shownOf({ __interrupt__ = [], messages = [] }) {
  return { waiting: __interrupt__.map(({ id }) => id), text: String(messages.at(-1)?.content ?? '') };
}

export async function open(folder, world, { byId = false } = {}) {
  const database = new Database(`${folder}/langgraph.db`);
  database.pragma('busy_timeout = 5000');
  const graph = buildGraph(world).compile({ checkpointer: new SqliteSaver(database) });
  const configOf = (thread) => ({ configurable: { thread_id: thread } });
  return {
    ask: async (thread, prompt) =>
      shownOf(await graph.invoke({ messages: [new HumanMessage(prompt)] }, configOf(thread))),
    async answer(thread, waiting, value) {
      const resume = byId ? Object.fromEntries(waiting.map((id) => [id, value])) : value;
      return shownOf(await graph.invoke(new Command({ resume }), configOf(thread)));
    },
  };
}

function sayNext(messages) {
  const lastUser = messages.findLastIndex((message) => message.type === 'human');
  const results = messages.slice(lastUser + 1).filter((message) => message.type === 'tool');
  const { text, name, args } = nextTurn(
    String(messages[lastUser].content),
    results.map(({ content }) => String(content)),
  );
  if (text !== undefined) return new AIMessage(text);
  return new AIMessage({
    content: '',
    tool_calls: [{ id: `call-${messages.length}`, name, args, type: 'tool_call' }],
  });
}
