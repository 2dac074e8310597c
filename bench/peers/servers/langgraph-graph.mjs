/** The graph that the LangGraph server loads. `bench-work` is the counter of its process. */
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { END, interrupt, MessagesValue, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { callIdFor, FINAL_TEXT, inputFor, TOOL } from '../scenario.mjs';

// The server reads this form of schema without a TypeScript compiler.
const State = new StateSchema({ messages: MessagesValue });

export const graph = new StateGraph(State)
  .addNode('model', ({ messages }) => {
    const last = messages.at(-1);
    if (last.getType() === 'tool') return { messages: [new AIMessage(FINAL_TEXT)] };
    const text = String(last.content);
    const call = { id: callIdFor(text), name: TOOL, args: inputFor(text), type: 'tool_call' };
    return { messages: [new AIMessage({ content: '', tool_calls: [call] })] };
  })
  .addNode('tools', ({ messages }) => {
    const [call] = messages.at(-1).tool_calls;
    const answer = interrupt({ message: 'Please confirm.', call });
    const output =
      answer?.approved === true ? globalThis.benchWork.run(call.args) : 'The person rejected the call.';
    const content = JSON.stringify(output);
    return { messages: [new ToolMessage({ content, tool_call_id: call.id, name: TOOL })] };
  })
  .addEdge(START, 'model')
  .addConditionalEdges('model', ({ messages }) => (messages.at(-1).tool_calls?.length ? 'tools' : END), [
    'tools',
    END,
  ])
  .addEdge('tools', 'model')
  .compile();
