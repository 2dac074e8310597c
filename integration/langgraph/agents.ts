/** A graph that calls `interrupt()` in its own tool node, and an agent of LangChain with `humanInTheLoopMiddleware`. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseMessage } from '@langchain/core/messages';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { interrupt, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';

import { fromLangGraph } from '../../src/adapters/langgraph/index.ts';
import { approvalResponseSchema } from '../../src/content/index.ts';
import type { CreateAgents } from '../serve.ts';
import type { World } from '../world.ts';
import { EMAIL_SCHEMA, nextTurn } from '../world.ts';

/** What the model says next, by the newest user message and the results. */
function reply(messages: readonly BaseMessage[]): AIMessage {
  const lastUser = messages.findLastIndex((message) => message.type === 'human');
  const resultsIn = (from: number) =>
    messages.slice(from).flatMap(({ type, content }) => (type === 'tool' ? [String(content)] : []));
  const turn = nextTurn(messages[lastUser]?.content, resultsIn(lastUser + 1), resultsIn(0));
  if ('text' in turn) return new AIMessage(turn.text);
  const tool_calls = turn.calls.map(({ name, args }, index) => ({
    id: `call-${messages.length}-${index}-${JSON.stringify(args)}`,
    name,
    args,
    type: 'tool_call' as const,
  }));
  return new AIMessage({ content: '', tool_calls });
}

/** `pay` and `askEmail` as a graph of one's own would have them: one task for each call. */
function createGraph(world: World, checkpointer: SqliteSaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', ({ messages }) => ({ messages: [reply(messages)] }))
    .addNode('call', async ({ call }: { call: { id: string; name: string; args: { amount: number } } }) => {
      const result = (content: string) => ({
        messages: [new ToolMessage({ content, tool_call_id: call.id })],
      });
      if (call.name === 'askEmail') {
        const { email } = interrupt<object, { email: string }>({
          message: 'Your email?',
          responseSchema: EMAIL_SCHEMA,
        });
        return result(`signed up ${email}`);
      }
      const { amount } = call.args;
      const answer = interrupt<
        object,
        { approved: boolean; reason?: string; editedArgs?: { amount: number } }
      >({
        reason: 'tool_call',
        toolCallId: call.id,
        message: `Pay ${amount}?`,
        responseSchema: approvalResponseSchema({ editedArgs: { type: 'object' } }),
      });
      if (!answer.approved) return result(`rejected: ${answer.reason}`);
      return result(await world.pay(answer.editedArgs?.amount ?? amount));
    })
    .addEdge(START, 'model')
    .addConditionalEdges(
      'model',
      ({ messages }) => {
        const calls = (messages.at(-1) as AIMessage).tool_calls ?? [];
        return calls.length === 0 ? '__end__' : calls.map((call) => new Send('call', { call }));
      },
      ['call', '__end__'],
    )
    .addEdge('call', 'model')
    .compile({ checkpointer });
}

class ScriptedChatModel extends BaseChatModel {
  override _llmType(): string {
    return 'scripted';
  }
  override bindTools(): this {
    return this;
  }
  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = reply(messages);
    return { generations: [{ message, text: String(message.content) }] };
  }
}

export const createAgents: CreateAgents = (world, folder) => {
  const checkpointer = SqliteSaver.fromConnString(`${folder}/langgraph.db`);
  // Three processes write.
  checkpointer.db.exec('PRAGMA busy_timeout = 20000');
  const pay = tool(({ amount }) => world.pay(amount), {
    name: 'pay',
    description: 'Pays.',
    schema: z.object({ amount: z.number() }),
  });
  const agent = createAgent({
    model: new ScriptedChatModel({}),
    tools: [pay],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { pay: true } })],
    checkpointer,
  });
  return { graph: fromLangGraph(createGraph(world, checkpointer)), middleware: fromLangGraph(agent) };
};
