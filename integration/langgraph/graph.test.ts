/** What only LangGraph has: subgraphs, two `interrupt()` calls under one id, state, tokens, and the graph's own checkpoint. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FakeStreamingChatModel } from '@langchain/core/utils/testing';
import { AIMessage, AIMessageChunk, ToolMessage } from '@langchain/core/messages';
import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';

import type { LangGraphAgent } from '../../src/adapters/langgraph/index.ts';
import { fromLangGraph } from '../../src/adapters/langgraph/index.ts';
import { answer, cancel } from '../../src/content/index.ts';
import type { AgentContext } from '../../src/engine/index.ts';
import type { JsonValue } from '../../src/core/index.ts';
import type { Interrupt, Message, ResumeEntry } from '../../src/protocol/index.ts';
import { createApplier, createVerifier, EventType, interruptsOf } from '../../src/protocol/index.ts';

const State = Annotation.Root({
  answers: Annotation<unknown[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});

/** Runs an agent on one thread as a host does. */
function threadOf(
  agent: LangGraphAgent,
  {
    thread = 't',
    scope = 'a',
    onDelivery,
  }: { thread?: string; scope?: string } & Pick<AgentContext, 'onDelivery'> = {},
) {
  const applier = createApplier({ messages: [], state: {} });
  let messages: Message[] = [];
  let remembered: JsonValue | undefined;
  const memory = {
    read: async () => remembered,
    write: async (value: JsonValue) => void (remembered = value),
  };
  let runs = 0;
  const run = async (resume: readonly ResumeEntry[] = []) => {
    runs += 1;
    const verifier = createVerifier();
    const types: string[] = [];
    let outcome = '';
    let interrupts: readonly Interrupt[] = [];
    const input = { threadId: thread, runId: `run-${runs}`, tools: [], context: [], forwardedProps: {} };
    const given = {
      ...input,
      messages,
      state: applier.state ?? {},
      ...(resume.length > 0 ? { resume: [...resume] } : {}),
    };
    for await (const event of agent.run(given, { principal: { id: 'ann', scope }, memory, onDelivery })) {
      verifier.check(event);
      applier.apply(event);
      types.push(event.type);
      if (event.type === EventType.RUN_FINISHED) {
        outcome = event.outcome?.type ?? 'success';
        interrupts = interruptsOf(event);
      }
      if (event.type === EventType.RUN_ERROR) outcome = event.code ?? '';
    }
    messages = [...messages, ...applier.messages.filter(({ id }) => messages.every((one) => one.id !== id))];
    return { types, outcome, interrupts, state: applier.state, messages };
  };
  const add = (text: string) => {
    messages = [...messages, { id: `said-${messages.length}`, role: 'user', content: text }];
  };
  return {
    run,
    add,
    say(text: string) {
      add(text);
      return run();
    },
  };
}

/** Input for graphs without messages. */
const toInput = () => ({ answers: [] });

void test('two interrupts of one node have ids of their own, and falsy answers survive', async () => {
  const graph = new StateGraph(State)
    .addNode('ask', () => ({ answers: [interrupt('first?'), interrupt('second?'), interrupt('third?')] }))
    .addEdge(START, 'ask')
    .compile({ checkpointer: new MemorySaver() });
  const agent = fromLangGraph(graph, { toInput });
  const thread = threadOf(agent);
  const seen: Interrupt[] = [];
  let last = await thread.say('go');
  for (const value of [false, 0, '']) {
    assert.equal(last.interrupts.length, 1);
    seen.push(last.interrupts[0]!);
    last = await thread.run([answer(last.interrupts[0]!, value)]);
  }
  assert.equal(last.outcome, 'success');
  assert.equal(new Set(seen.map(({ id }) => id)).size, 3);
  assert.deepEqual(
    seen.map(({ message }) => message),
    ['first?', 'second?', 'third?'],
  );
  assert.deepEqual(last.state, { answers: [false, 0, ''] });
});

void test('null is an answer too', async () => {
  const graph = new StateGraph(State)
    .addNode('ask', () => ({ answers: [interrupt('value?')] }))
    .addEdge(START, 'ask')
    .compile({ checkpointer: new MemorySaver() });
  const thread = threadOf(fromLangGraph(graph, { toInput }));
  const { interrupts } = await thread.say('go');
  const ended = await thread.run([answer(interrupts[0]!, null)]);
  assert.deepEqual([ended.outcome, ended.state], ['success', { answers: [null] }]);
});

void test('interrupts of parallel nodes and of subgraphs in subgraphs come together and are answered by id', async () => {
  const inner = new StateGraph(State)
    .addNode('deep', () => ({ answers: [`deep ${interrupt({ message: 'deep?' })}`] }))
    .addEdge(START, 'deep')
    .compile();
  const middle = new StateGraph(State).addNode('inner', inner).addEdge(START, 'inner').compile();
  const dynamic = new StateGraph(State)
    .addNode('called', () => ({ answers: [`called ${interrupt('called?')} ${interrupt('called again?')}`] }))
    .addEdge(START, 'called')
    .compile();
  const graph = new StateGraph(State)
    .addNode('left', () => ({ answers: [`left ${interrupt({ prompt: 'left?' })}`] }))
    .addNode('middle', middle)
    .addNode('code', async () => ({ answers: (await dynamic.invoke({ answers: [] })).answers }))
    .addEdge(START, 'left')
    .addEdge(START, 'middle')
    .addEdge(START, 'code')
    .compile({ checkpointer: new MemorySaver() });
  const agent = fromLangGraph(graph, { toInput });
  const thread = threadOf(agent);
  const asked = await thread.say('go');
  assert.deepEqual(asked.interrupts.map(({ message }) => String(message)).toSorted(), [
    'called?',
    'deep?',
    'left?',
  ]);
  assert.deepEqual(await agent.pending({ scope: 'a', thread: 't' }), asked.interrupts);
  const more = await thread.run(asked.interrupts.map((one) => answer(one, one.message)));
  assert.deepEqual(
    more.interrupts.map(({ message }) => message),
    ['called again?'],
  );
  assert.ok(asked.interrupts.every(({ id }) => id !== more.interrupts[0]?.id));
  const ended = await thread.run(more.interrupts.map((one) => answer(one, one.message)));
  assert.equal(ended.outcome, 'success');
  const { answers } = ended.state as { answers: string[] };
  // LangGraph adds what a subgraph was given to what it returns.
  assert.deepEqual([...new Set(answers)].toSorted(), [
    'called called? called again?',
    'deep deep?',
    'left left?',
  ]);
});

void test('a cancelled interrupt never resumes the graph, and a new message starts it again', async () => {
  const calls: string[] = [];
  const graph = new StateGraph(State)
    .addNode('one', () => {
      calls.push(`one ${interrupt<string, string>('one?')}`);
      return {};
    })
    .addNode('two', () => {
      calls.push(`two ${interrupt<string, string>('two?')}`);
      return {};
    })
    .addEdge(START, 'one')
    .addEdge(START, 'two')
    .compile({ checkpointer: new MemorySaver() });
  const thread = threadOf(fromLangGraph(graph, { toInput }));
  const asked = await thread.say('go');
  const [first, second] = asked.interrupts;
  const ended = await thread.run([answer(first!, 'yes'), cancel(second!)]);
  assert.equal(ended.outcome, 'cancelled');
  assert.deepEqual(calls, [first!.message === 'one?' ? 'one yes' : 'two yes']);
  assert.equal((await thread.say('again')).interrupts.length, 2);
});

void test('a message that comes with answers is given after them, and later where the graph asks again', async () => {
  const seen: string[] = [];
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('ask', ({ messages }) => {
      const text = String(messages.at(-1)?.content);
      seen.push(`${text} ${interrupt<string, string>('first?')} ${interrupt<string, string>('second?')}`);
      return {};
    })
    .addEdge(START, 'ask')
    .compile({ checkpointer: new MemorySaver() });
  const thread = threadOf(fromLangGraph(graph));
  const first = await thread.say('one');
  thread.add('two');
  const second = await thread.run([answer(first.interrupts[0]!, 'a')]);
  assert.equal(second.interrupts[0]?.message, 'second?');
  const third = await thread.run([answer(second.interrupts[0], 'b')]);
  assert.deepEqual(seen, ['one a b']);
  assert.equal(third.interrupts[0]?.message, 'first?');
});

void test('reconcile tells an open answer, a taken one, and one whose step has not ended', async () => {
  let fails = true;
  const graph = new StateGraph(State)
    .addNode('ask', () => {
      const value = interrupt('value?');
      if (fails) throw new Error('The step broke off.');
      return { answers: [value] };
    })
    .addNode('later', () => ({ answers: [interrupt('later?')] }))
    .addEdge(START, 'ask')
    .addEdge('ask', 'later')
    .compile({ checkpointer: new MemorySaver() });
  const agent = fromLangGraph(graph, { toInput });
  const place = { scope: 'a', thread: 't' };
  const thread = threadOf(agent);
  const [interrupt1] = (await thread.say('go')).interrupts;
  assert.equal(await agent.reconcile(interrupt1!, place), 'waiting');
  await assert.rejects(thread.run([answer(interrupt1!, 'x')]), { code: 'TOOL_FAILED' });
  assert.equal(await agent.reconcile(interrupt1!, place), 'consumed');
  fails = false;
  // A person said: do it again. The graph has the answer, and goes on from its checkpoint.
  const next = await thread.run([answer(interrupt1!, 'x')]);
  assert.equal(next.interrupts[0]?.message, 'later?');
  assert.equal(await agent.reconcile(interrupt1!, place), 'taken');
  assert.deepEqual(await agent.pending(place), next.interrupts);
});

void test('an interrupt that was answered elsewhere is taken, and a run with nothing new shows where the graph is', async () => {
  const graph = new StateGraph(State)
    .addNode('ask', () => ({ answers: [interrupt('value?')] }))
    .addEdge(START, 'ask')
    .compile({ checkpointer: new MemorySaver() });
  const agent = fromLangGraph(graph, { toInput, threadId: ({ thread }) => thread });
  const thread = threadOf(agent);
  const [interrupt1] = (await thread.say('go')).interrupts;
  await graph.invoke(new Command({ resume: 'elsewhere' }), { configurable: { thread_id: 't' } });
  assert.equal(await agent.reconcile(interrupt1!, { scope: 'a', thread: 't' }), 'taken');
  const shown = await thread.run();
  assert.deepEqual([shown.outcome, shown.state], ['success', { answers: ['elsewhere'] }]);
});

void test('tenants with one thread id have checkpoints of their own', async () => {
  const graph = new StateGraph(State)
    .addNode('ask', () => ({ answers: [interrupt('value?')] }))
    .addEdge(START, 'ask')
    .compile({ checkpointer: new MemorySaver() });
  const agent = fromLangGraph(graph, { toInput });
  const [mine, yours] = [threadOf(agent), threadOf(agent, { scope: 'b' })];
  const asked = await mine.say('go');
  assert.deepEqual(await agent.pending({ scope: 'b', thread: 't' }), []);
  const other = await yours.say('go');
  await mine.run([answer(asked.interrupts[0]!, 'mine')]);
  assert.deepEqual((await yours.run()).interrupts, other.interrupts);
});

void test('tokens stream, and the responseSchema of interrupt() becomes the schema of the answer', async () => {
  const model = new FakeStreamingChatModel({
    chunks: ['Hel', 'lo.'].map((content) => new AIMessageChunk({ id: 'message', content })),
  });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('ask', () => {
      interrupt('age?', { responseSchema: { type: 'integer' } });
      return {};
    })
    .addEdge(START, 'model')
    .addEdge('model', 'ask')
    .compile({ checkpointer: new MemorySaver() });
  const { types, interrupts, messages } = await threadOf(fromLangGraph(graph)).say('hi');
  assert.equal(types.filter((type) => type === 'TEXT_MESSAGE_CONTENT').length, 2);
  assert.equal(messages.at(-1)?.content, 'Hello.');
  assert.deepEqual(interrupts[0]?.responseSchema, { type: 'integer' });
});

void test('a message that a node returns as a plain object is shown once', async () => {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('reply', () => ({ messages: [{ role: 'assistant', content: 'Plain.' }] }))
    .addEdge(START, 'reply')
    .compile({ checkpointer: new MemorySaver() });
  const thread = threadOf(fromLangGraph(graph));
  await thread.say('hi');
  const { messages } = await thread.say('again');
  assert.deepEqual(
    messages.map(({ content }) => content),
    ['hi', 'Plain.', 'again', 'Plain.'],
  );
});

void test('a message for a graph without messages, and an answer for a lost checkpoint, end with an error', async () => {
  const make = () => {
    const graph = new StateGraph(State).addNode('ask', () => ({ answers: [interrupt('Go on?')] }));
    return graph.addEdge(START, 'ask').compile({ checkpointer: new MemorySaver() });
  };
  assert.equal((await threadOf(fromLangGraph(make())).say('go')).outcome, 'INPUT_INVALID');
  const { interrupts } = await threadOf(fromLangGraph(make(), { toInput })).say('go');
  const restarted = fromLangGraph(make(), { toInput });
  assert.equal((await threadOf(restarted).run([answer(interrupts[0]!, 'yes')])).outcome, 'UNAVAILABLE');
  assert.equal(await restarted.reconcile(interrupts[0]!, { scope: 'a', thread: 't' }), 'unknown');
});

void test('a graph without a checkpointer is rejected', () => {
  const graph = new StateGraph(State)
    .addNode('ask', () => ({}))
    .addEdge(START, 'ask')
    .compile();
  assert.throws(() => fromLangGraph(graph), /compile\(\{ checkpointer \}\)/);
});

const pays = Annotation.Root({ ...MessagesAnnotation.spec, call: Annotation<{ id: string }>() });

/** Two calls of one message, each a task: the second one throws as long as `broken` has it. */
function twoCalls(checkpointer: MemorySaver, broken: Set<string>, starts: string[]) {
  const seen: string[][] = [];
  const graph = new StateGraph(pays)
    .addNode('model', ({ messages }) => {
      seen.push(messages.map((message) => `${message.type} ${String(message.content)}`));
      if (messages.at(-1)?.content !== 'pay') return { messages: [new AIMessage('Done.')] };
      const tool_calls = ['one', 'two'].map((id) => ({
        id,
        name: 'pay',
        args: {},
        type: 'tool_call' as const,
      }));
      return { messages: [new AIMessage({ content: '', tool_calls })] };
    })
    .addNode('pay', ({ call: { id } }) => {
      interrupt<object>({ message: `${id}?`, toolCallId: id });
      starts.push(id);
      if (broken.has(id)) throw new Error('The step broke off.');
      return { messages: [new ToolMessage({ content: `paid ${id}`, tool_call_id: id })] };
    })
    .addEdge(START, 'model')
    .addConditionalEdges(
      'model',
      ({ messages }) => {
        const calls = (messages.at(-1) as AIMessage).tool_calls ?? [];
        return calls.length === 0 ? END : calls.map(({ id = '' }) => new Send('pay', { call: { id } }));
      },
      ['pay', END],
    )
    .addEdge('pay', 'model')
    .compile({ checkpointer });
  return { graph, seen };
}

void test('one of two approved calls throws: the next message finds the result of the other, and starts none of them', async () => {
  const starts: string[] = [];
  const { graph, seen } = twoCalls(new MemorySaver(), new Set(['two']), starts);
  const reports: unknown[] = [];
  const thread = threadOf(fromLangGraph(graph), { onDelivery: (report) => reports.push(report) });
  const { interrupts } = await thread.say('pay');
  assert.deepEqual(interrupts.map(({ message }) => String(message)).toSorted(), ['one?', 'two?']);
  const resume = interrupts.map((one) => answer(one, true));
  await assert.rejects(thread.run(resume), { code: 'TOOL_FAILED' });
  const failed = interrupts.filter(({ message }) => message === 'two?').map(({ id }) => id);
  assert.deepEqual(reports, [{ status: 'taken', failed }]);
  await thread.say('more');
  assert.deepEqual(seen.at(-1), ['human pay', 'ai ', 'tool paid one', 'tool The call failed.', 'human more']);
  assert.deepEqual(starts.toSorted(), ['one', 'two']);
});

void test('reconcile says consumed from the moment on that the graph is given an answer', async () => {
  const checkpointer = new MemorySaver();
  // A saver whose writes by the graph come later, and are lost with the process.
  const writes = checkpointer.putWrites.bind(checkpointer);
  let isLost = false;
  checkpointer.putWrites = async (...given) =>
    isLost && given[2] !== 'holdpoint' ? undefined : writes(...given);
  let agent: LangGraphAgent | undefined = undefined;
  const states: unknown[] = [];
  const place = { scope: 'a', thread: 't' };
  const graph = new StateGraph(State)
    .addNode('ask', async () => {
      const value = interrupt('value?');
      states.push(await agent?.reconcile(asked!, place), await agent?.pending(place));
      return { answers: [value] };
    })
    .addEdge(START, 'ask')
    .compile({ checkpointer });
  agent = fromLangGraph(graph, { toInput });
  const thread = threadOf(agent);
  const [asked] = (await thread.say('go')).interrupts;
  assert.equal(await agent.reconcile(asked!, place), 'waiting');
  isLost = true;
  await thread.run([answer(asked!, 'x')]);
  assert.deepEqual(states, ['consumed', []]);
});

void test('reconcile says consumed for an answer whose later step has not ended, and a retry goes on with that step', async () => {
  const starts: string[] = [];
  let fails = true;
  const graph = new StateGraph(State)
    .addNode('ask', () => ({ answers: [interrupt('value?')] }))
    .addNode('act', () => {
      starts.push('act');
      if (fails) throw new Error('The step broke off.');
      return { answers: ['acted'] };
    })
    .addEdge(START, 'ask')
    .addEdge('ask', 'act')
    .compile({ checkpointer: new MemorySaver() });
  const agent = fromLangGraph(graph, { toInput });
  const thread = threadOf(agent);
  const [asked] = (await thread.say('go')).interrupts;
  await assert.rejects(thread.run([answer(asked!, 'x')]), { code: 'TOOL_FAILED' });
  assert.equal(await agent.reconcile(asked!, { scope: 'a', thread: 't' }), 'consumed');
  // Nothing repeats the step but a person.
  await thread.run();
  assert.deepEqual(starts, ['act']);
  fails = false;
  assert.deepEqual((await thread.run([answer(asked!, 'x')])).state, { answers: ['x', 'acted'] });
  assert.deepEqual(starts, ['act', 'act']);
});

void test('interruptAfter asks whether the graph continues; a rejected graph stands still until the next message', async () => {
  const steps: string[] = [];
  const graph = new StateGraph(State)
    .addNode('plan', () => ({ answers: [steps.push('plan')] }))
    .addNode('act', () => ({ answers: [steps.push('act')] }))
    .addEdge(START, 'plan')
    .addEdge('plan', 'act')
    .compile({ checkpointer: new MemorySaver(), interruptAfter: ['plan'] });
  const agent = fromLangGraph(graph, { toInput });
  const thread = threadOf(agent);
  const [asked] = (await thread.say('go')).interrupts;
  assert.deepEqual([asked?.reason, asked?.message], ['confirmation', 'Continue with act?']);
  assert.equal(await agent.reconcile(asked!, { scope: 'a', thread: 't' }), 'waiting');
  assert.equal((await thread.run([answer(asked!, { approved: false })])).outcome, 'success');
  assert.deepEqual(steps, ['plan']);
  const [again] = (await thread.say('go')).interrupts;
  assert.equal((await thread.run([answer(again!, { approved: true })])).outcome, 'success');
  assert.deepEqual(steps, ['plan', 'plan', 'act']);
  assert.equal(await agent.reconcile(again!, { scope: 'a', thread: 't' }), 'taken');
});

void test('a breakpoint in a subgraph asks too', async () => {
  const inner = new StateGraph(State)
    .addNode('plan', () => ({ answers: ['plan'] }))
    .addNode('act', () => ({ answers: [`act ${interrupt<string, string>('how?')}`] }))
    .addEdge(START, 'plan')
    .addEdge('plan', 'act')
    .compile({ interruptBefore: ['act'] });
  const graph = new StateGraph(State)
    .addNode('inner', inner)
    .addEdge(START, 'inner')
    .compile({ checkpointer: new MemorySaver() });
  const thread = threadOf(fromLangGraph(graph, { toInput }));
  const [asked] = (await thread.say('go')).interrupts;
  assert.equal(asked?.message, 'Continue with inner?');
  const [how] = (await thread.run([answer(asked, { approved: true })])).interrupts;
  assert.equal(how?.message, 'how?');
  assert.deepEqual((await thread.run([answer(how, 'well')])).state, { answers: ['plan', 'act well'] });
});
