/** The graph of the LangGraph server: it repeats the user's words piece by piece, and asks before it pays. */
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { END, interrupt, MessagesValue, START, StateGraph, StateSchema } from '@langchain/langgraph';

// The server reads this form of schema without a TypeScript compiler.
const State = new StateSchema({ messages: MessagesValue });

async function reply(text: string) {
  // The pieces of several runs come at the same time.
  const model = new FakeListChatModel({ responses: [text], sleep: 2 });
  return { messages: [await model.invoke('')] };
}

export const graph = new StateGraph(State)
  .addNode('speak', async ({ messages }) => {
    const said = String(messages.findLast((message) => message.getType() === 'human')?.content);
    if (!said.startsWith('pay')) return reply(`You said ${said}.`);
    const answer: unknown = interrupt({ reason: 'human_approval', message: `May I ${said}?` });
    return reply(`${said}: ${JSON.stringify(answer)}`);
  })
  .addEdge(START, 'speak')
  .addEdge('speak', END)
  .compile();
