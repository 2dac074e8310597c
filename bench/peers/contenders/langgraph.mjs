import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Command, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import { callIdFor, createWork, earlierTurns, FINAL_TEXT, inputFor, TOOL } from '../scenario.mjs';

/** As it comes: a checkpoint after each step, written while the next one runs. `exit` writes only where a run ends. */
const durability = process.env['LANGGRAPH_DURABILITY'] ?? 'async';

export function langgraphSqlite({ file, synchronous }) {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma(`synchronous = ${synchronous}`);
  return { ...contender(new SqliteSaver(database)), connect: () => new Database(file) };
}

export async function langgraphPostgres({ pool }) {
  const saver = new PostgresSaver(pool);
  await saver.setup();
  return contender(saver);
}

function contender(checkpointer) {
  const work = createWork();
  // One graph interrupts and another answers, so that the answer depends on the saver alone.
  const asking = compileGraph(work, checkpointer);
  const answering = compileGraph(work, checkpointer);
  return {
    work,
    // One checkpoint for all earlier turns; turn by turn there would be thousands.
    seed: (thread, turns) =>
      asking.updateState(configOf(thread), { messages: earlierTurns(turns).flatMap(toMessages) }, 'model'),
    async ask(thread, prompt) {
      const asked = await asking.invoke({ messages: [new HumanMessage(prompt)] }, configOf(thread));
      if (asked.__interrupt__?.length !== 1) throw new Error('LangGraph did not ask.');
      return asked.__interrupt__;
    },
    async answer(thread) {
      const answered = await answering.invoke(new Command({ resume: { approved: true } }), configOf(thread));
      return answered.messages.at(-1).content;
    },
  };
}

function configOf(thread) {
  return { configurable: { thread_id: thread }, durability };
}

/** Plain functions for model and tool: there is no cheaper graph that asks. */
function compileGraph(work, checkpointer) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', ({ messages }) => {
      work.saw(messages.length);
      return { messages: [sayNext(messages.at(-1))] };
    })
    .addNode('tools', ({ messages }) => {
      const [call] = messages.at(-1).tool_calls;
      const { approved } = interrupt({ message: 'Please confirm.', call });
      if (!approved) throw new Error('LangGraph lost the answer.');
      const content = JSON.stringify(work.run(call.args));
      return { messages: [new ToolMessage({ content, tool_call_id: call.id, name: TOOL })] };
    })
    .addEdge(START, 'model')
    .addConditionalEdges(
      'model',
      ({ messages }) => (messages.at(-1).tool_calls?.length ? 'tools' : '__end__'),
      ['tools', '__end__'],
    )
    .addEdge('tools', 'model')
    .compile({ checkpointer });
}

function sayNext(last) {
  if (last.getType() === 'tool') return new AIMessage(FINAL_TEXT);
  const call = { id: callIdFor(last.content), name: TOOL, args: inputFor(last.content), type: 'tool_call' };
  return new AIMessage({ content: '', tool_calls: [call] });
}

function toMessages({ prompt, callId, input, output, reply }) {
  return [
    new HumanMessage(prompt),
    new AIMessage({ content: '', tool_calls: [{ id: callId, name: TOOL, args: input, type: 'tool_call' }] }),
    new ToolMessage({ content: JSON.stringify(output), tool_call_id: callId, name: TOOL }),
    new AIMessage(reply),
  ];
}
