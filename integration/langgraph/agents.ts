/** The patterns of LangGraph's and LangChain's documentation that wait for a person, on a scripted model. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseMessage, BaseMessageLike } from '@langchain/core/messages';
import { AIMessage, coerceMessageLikeToMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import {
  Annotation,
  Command,
  END,
  entrypoint,
  getPreviousState,
  interrupt,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
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

interface PayCall {
  readonly id: string;
  readonly name: string;
  readonly args: { readonly amount: number };
}

interface Answer {
  readonly approved: boolean;
  readonly reason?: string;
  readonly editedArgs?: { readonly amount: number };
}

/** Asks before a payment, as `interrupt()` of LangGraph's documentation does. */
function askToPay(amount: number, callId?: string): Answer {
  return interrupt<object, Answer>({
    reason: 'tool_call',
    ...(callId === undefined ? {} : { toolCallId: callId }),
    message: `Pay ${amount}?`,
    responseSchema: approvalResponseSchema({ editedArgs: { type: 'object' } }),
  });
}

function askEmail(): string {
  const { email } = interrupt<object, { email: string }>({
    message: 'Your email?',
    responseSchema: EMAIL_SCHEMA,
  });
  return `signed up ${email}`;
}

async function decide(world: World, amount: number, answer: Answer): Promise<string> {
  if (!answer.approved) return `rejected: ${answer.reason}`;
  return world.pay(answer.editedArgs?.amount ?? amount);
}

const callsOf = ({ messages }: { messages: BaseMessage[] }) =>
  ((messages.at(-1) as AIMessage).tool_calls ?? []) as PayCall[];
const toolResult = (content: string, { id }: PayCall) => ({
  messages: [new ToolMessage({ content, tool_call_id: id })],
});

/** A node that asks and acts; one task for each call. */
function createGraph(world: World, checkpointer: SqliteSaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', ({ messages }) => ({ messages: [reply(messages)] }))
    .addNode('call', async ({ call }: { call: PayCall }) => {
      if (call.name === 'askEmail') return toolResult(askEmail(), call);
      const { amount } = call.args;
      return toolResult(await decide(world, amount, askToPay(amount, call.id)), call);
    })
    .addEdge(START, 'model')
    .addConditionalEdges(
      'model',
      (state) => {
        const calls = callsOf(state);
        return calls.length === 0 ? END : calls.map((call) => new Send('call', { call }));
      },
      ['call', END],
    )
    .addEdge('call', 'model')
    .compile({ checkpointer });
}

/** A node that asks, and another one that acts. */
function createNodes(world: World, checkpointer: SqliteSaver) {
  const State = Annotation.Root({ ...MessagesAnnotation.spec, amount: Annotation<number>() });
  const say = (text: string) => ({ messages: [new AIMessage(text)] });
  return new StateGraph(State)
    .addNode(
      'read',
      ({ messages }) => {
        const message = reply(messages);
        const call = message.tool_calls?.[0];
        if (call === undefined) return new Command({ goto: END, update: { messages: [message] } });
        return new Command({ goto: 'approve', update: { amount: Number(call.args['amount']) } });
      },
      { ends: ['approve', END] },
    )
    .addNode(
      'approve',
      ({ amount }) => {
        const { approved, reason } = interrupt<object, Answer>({
          message: `Pay ${amount}?`,
          responseSchema: approvalResponseSchema(),
        });
        if (approved) return new Command({ goto: 'pay' });
        return new Command({ goto: END, update: say(`rejected: ${reason}`) });
      },
      { ends: ['pay', END] },
    )
    .addNode('pay', async ({ amount }) => say(await world.pay(amount)))
    .addEdge(START, 'read')
    .addEdge('pay', END)
    .compile({ checkpointer });
}

/** A node that asks until the answer is a decision, without a schema. */
function createLoop(world: World, checkpointer: SqliteSaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => {
      const message = reply(messages);
      const call = message.tool_calls?.[0];
      if (call === undefined) return { messages: [message] };
      const amount = Number(call.args['amount']);
      let question = `Pay ${amount}?`;
      for (;;) {
        const answer = interrupt<string, Answer>(question);
        if (typeof answer.approved === 'boolean') {
          return { messages: [new AIMessage(await decide(world, amount, answer))] };
        }
        question = `That is no decision. Pay ${amount}?`;
      }
    })
    .addEdge(START, 'model')
    .compile({ checkpointer });
}

/** A graph with the nodes of another one: the type of a graph names its nodes. */
function asTypeOf<Graph>(_other: Graph, graph: unknown): Graph {
  return graph as Graph;
}

/** Each call is sent to a graph of its own, which is a node; `depth` graphs are inside each other. */
function createSubgraphs(world: World, checkpointer: SqliteSaver, depth: number) {
  const Payment = Annotation.Root({
    ...MessagesAnnotation.spec,
    call: Annotation<PayCall>(),
    answer: Annotation<Answer>(),
  });
  let payment = new StateGraph(Payment)
    .addNode('approve', ({ call }) => ({ answer: askToPay(call.args.amount, call.id) }))
    .addNode('pay', async ({ call, answer }) =>
      toolResult(await decide(world, call.args.amount, answer), call),
    )
    .addEdge(START, 'approve')
    .addEdge('approve', 'pay')
    .compile();
  for (let level = 1; level < depth; level += 1) {
    const inner = payment;
    const outer = new StateGraph(Payment).addNode('inner', inner).addEdge(START, 'inner').compile();
    payment = asTypeOf(payment, outer);
  }
  return new StateGraph(MessagesAnnotation)
    .addNode('model', ({ messages }) => ({ messages: [reply(messages)] }))
    .addNode('payment', payment)
    .addEdge(START, 'model')
    .addConditionalEdges(
      'model',
      (state) => {
        const calls = callsOf(state);
        return calls.length === 0 ? END : calls.map((call) => new Send('payment', { call, messages: [] }));
      },
      ['payment', END],
    )
    .addEdge('payment', 'model')
    .compile({ checkpointer });
}

/** The functional API: the model and the payment are tasks, and the entrypoint asks between them. */
function createFunctional(world: World, model: ScriptedChatModel, checkpointer: SqliteSaver) {
  const callModel = task('callModel', (messages: BaseMessage[]) => model.invoke(messages));
  const pay = task('pay', (amount: number) => world.pay(amount));
  return entrypoint(
    { name: 'functional', checkpointer },
    async ({ messages }: { messages: BaseMessageLike[] }) => {
      const said = [
        ...(getPreviousState<BaseMessage[]>() ?? []),
        ...messages.map(coerceMessageLikeToMessage),
      ];
      const turn = await callModel(said);
      const results: ToolMessage[] = [];
      for (const { id = '', args } of turn.tool_calls ?? []) {
        const amount = Number(args['amount']);
        const { approved, reason } = interrupt<object, Answer>({
          message: `Pay ${amount}?`,
          responseSchema: approvalResponseSchema(),
        });
        const content = approved ? await pay(amount) : `rejected: ${reason}`;
        results.push(new ToolMessage({ content, tool_call_id: id }));
      }
      const made: BaseMessage[] = [turn, ...results];
      if (results.length > 0) made.push(await callModel([...said, ...made]));
      return entrypoint.final({ value: { messages: made }, save: [...said, ...made] });
    },
  );
}

/** A static breakpoint before the node of the tools. */
function createBreakpoint(tools: ToolNode, checkpointer: SqliteSaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', ({ messages }) => ({ messages: [reply(messages)] }))
    .addNode('tools', tools)
    .addEdge(START, 'model')
    .addConditionalEdges('model', (state) => (callsOf(state).length === 0 ? END : 'tools'), ['tools', END])
    .addEdge('tools', 'model')
    .compile({ checkpointer, interruptBefore: ['tools'] });
}

class ScriptedChatModel extends BaseChatModel {
  override _llmType(): string {
    return 'scripted';
  }
  override bindTools(): this {
    return this;
  }
  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.next(messages);
    return { generations: [{ message, text: String(message.content) }] };
  }
  next(messages: BaseMessage[]): AIMessage {
    return reply(messages);
  }
}

/** Leaves payments to another agent. */
class SupervisorModel extends ScriptedChatModel {
  override next(messages: BaseMessage[]): AIMessage {
    const message = reply(messages);
    if (message.tool_calls?.length === 0) return message;
    const request = String(messages.findLast(({ type }) => type === 'human')?.content);
    const call = { id: `ask-${messages.length}`, name: 'payments', args: { request } };
    return new AIMessage({ content: '', tool_calls: [{ ...call, type: 'tool_call' }] });
  }
}

export const createAgents: CreateAgents = (world, folder) => {
  const checkpointer = SqliteSaver.fromConnString(`${folder}/langgraph.db`);
  // Several processes write.
  checkpointer.db.exec('PRAGMA busy_timeout = 20000');
  const about = { name: 'pay', description: 'Pays.', schema: z.object({ amount: z.number() }) };
  const pay = tool(({ amount }) => world.pay(amount), about);
  const askingPay = tool(
    async ({ amount }, { toolCall }: { toolCall?: { id?: string } }) =>
      decide(world, amount, askToPay(amount, toolCall?.id)),
    about,
  );
  const email = tool(async () => askEmail(), {
    name: 'askEmail',
    description: 'Your email?',
    schema: z.object({}),
  });
  const model = new ScriptedChatModel({});
  const middleware = [humanInTheLoopMiddleware({ interruptOn: { pay: true } })];
  const payer = createAgent({ model, tools: [pay], middleware });
  const payments = tool(
    async ({ request }) => {
      const { messages } = await payer.invoke({ messages: [{ role: 'user', content: request }] });
      return String(messages.at(-1)?.content);
    },
    { name: 'payments', description: 'Makes payments.', schema: z.object({ request: z.string() }) },
  );
  return {
    graph: fromLangGraph(createGraph(world, checkpointer)),
    nodes: fromLangGraph(createNodes(world, checkpointer)),
    tool: fromLangGraph(createAgent({ model, tools: [askingPay, email], checkpointer })),
    loop: fromLangGraph(createLoop(world, checkpointer)),
    subgraph: fromLangGraph(createSubgraphs(world, checkpointer, 1)),
    deep: fromLangGraph(createSubgraphs(world, checkpointer, 2)),
    functional: fromLangGraph(createFunctional(world, model, checkpointer)),
    breakpoint: fromLangGraph(createBreakpoint(new ToolNode([pay]), checkpointer)),
    middleware: fromLangGraph(createAgent({ model, tools: [pay], middleware, checkpointer })),
    supervisor: fromLangGraph(
      createAgent({ model: new SupervisorModel({}), tools: [payments], checkpointer }),
    ),
  };
};
