import { describe, expect, it } from 'vitest';
import type { ChatContent } from '../../content/index.ts';
import { isFunctionApprovalResponse, isFunctionResult, isUserInputResponse } from '../../content/index.ts';
import type {
  AgentStreamEvent,
  Interrupt,
  Message,
  ResumeEntry,
  RunAgentInput,
} from '../../protocol/index.ts';
import { createVerifier, interruptsOf, isRunFinished } from '../../protocol/index.ts';
import type { Agent } from '../index.ts';
import type { ContentMessage } from './content-agent.ts';
import { approve } from '../../content/interrupts/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import { defineAgent, defineTool } from '../index.ts';
import { contentAgent } from './content-agent.ts';
import { withApproval } from './with-approval.ts';

const user: Message = { id: 'u', role: 'user', content: 'What is the weather in Seattle?' };

async function run(agent: Agent, resume?: ResumeEntry[], rest: Partial<RunAgentInput> = {}) {
  const events: AgentStreamEvent[] = [];
  const verifier = createVerifier();
  const input: RunAgentInput = {
    threadId: 't',
    runId: 'r',
    messages: [user],
    tools: [],
    context: [],
    ...rest,
  };
  for await (const event of agent.run(resume === undefined ? input : { ...input, resume })) {
    verifier.check(event);
    events.push(event);
  }
  verifier.end();
  const end = events.findLast(isRunFinished);
  const interrupts: readonly Interrupt[] = end === undefined ? [] : interruptsOf(end);
  const text = events.map((event) => (event.type === 'TEXT_MESSAGE_CONTENT' ? event.delta : '')).join('');
  return { events, interrupts, text, types: events.map(({ type }) => type) };
}

/** Shows its call, then runs it, like the weather agent of the .NET plan. */
function weatherAgent(calls: unknown[]) {
  return contentAgent({
    id: 'weather',
    async *run(messages): AsyncGenerator<ChatContent> {
      const contents = messages.flatMap((message) => message.contents);
      const refused = contents.find(isFunctionResult);
      if (refused !== undefined) {
        yield { type: 'text', text: `No weather: ${String(refused.result)}` };
        return;
      }
      const approval = contents.findLast(isFunctionApprovalResponse);
      const args = approval?.editedArgs ?? { location: 'Seattle' };
      if (approval === undefined) {
        yield { type: 'text', text: 'Let me look.' };
        yield { type: 'functionCall', callId: 'call-abc', name: 'get_weather', arguments: args };
      }
      calls.push(args);
      yield { type: 'functionResult', callId: 'call-abc', result: 'rain' };
      yield { type: 'text', text: 'It rains.' };
    },
  });
}

describe('a content agent', () => {
  const askForEmail = (seen: ContentMessage[]) =>
    contentAgent({
      id: 'signup',
      async *run(messages) {
        seen.push(...messages);
        const answer = messages.flatMap(({ contents }) => contents).find(isUserInputResponse);
        if (answer === undefined) {
          yield { type: 'text', text: 'Hello! ' };
          yield {
            type: 'userInputRequest',
            id: 'input-456',
            rawRepresentation: {
              prompt: 'Please provide your email address to continue',
              inputType: 'email',
            },
          };
        } else {
          yield { type: 'text', text: `Thank you, ${String(answer.value)}.` };
        }
      },
    });

  it('pauses at a request part, and gets the answer as a response part before it runs again', async () => {
    const seen: ContentMessage[] = [];
    const agent = askForEmail(seen);
    const paused = await run(agent);
    expect(paused.types.slice(-2)).toEqual(['TEXT_MESSAGE_END', 'RUN_FINISHED']);
    expect(paused.interrupts).toMatchObject([
      { id: 'input-456', metadata: { payload: { inputType: 'email' } } },
    ]);
    seen.length = 0;
    const resumed = await run(agent, [{ interruptId: 'input-456', status: 'resolved', payload: 'a@b.com' }]);
    expect(resumed.text).toBe('Thank you, a@b.com.');
    expect(seen.at(-1)).toMatchObject({
      role: 'user',
      contents: [{ type: 'userInputResponse', id: 'input-456', value: 'a@b.com' }],
    });
    expect(resumed.interrupts).toEqual([]);
  });

  it.each([
    ['INTERRUPT_UNKNOWN', [{ interruptId: 'other', status: 'resolved' as const }]],
    ['INTERRUPTS_UNANSWERED', [{ interruptId: 'a', status: 'resolved' as const }]],
  ])('rejects with %s answers that do not fit its interrupts', async (code, resume) => {
    const agent = contentAgent({
      id: 'two',
      async *run() {
        yield { type: 'userInputRequest', id: 'a' };
        yield { type: 'userInputRequest', id: 'b' };
      },
    });
    expect((await run(agent)).interrupts.map(({ id }) => id)).toEqual(['a', 'b']);
    expect((await run(agent, resume)).events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code });
  });

  it('fails with a sentence without details', async () => {
    const agent = contentAgent({
      id: 'x',
      async *run() {
        yield { type: 'text', text: 'Half' };
        throw new Error('secret');
      },
    });
    const { events } = await run(agent);
    expect(events.at(-1)).toEqual({ type: 'RUN_ERROR', message: 'The run failed.', code: 'INTERNAL' });
  });
});

describe('withApproval', () => {
  const approval = (payload: object): ResumeEntry[] => [
    { interruptId: 'call-abc', status: 'resolved', payload },
  ];

  it('stops the agent before the call and raises an interrupt', async () => {
    const calls: unknown[] = [];
    const { interrupts, types } = await run(withApproval(weatherAgent(calls), () => true));
    expect(calls).toEqual([]);
    expect(interrupts).toMatchObject([
      {
        id: 'call-abc',
        reason: 'tool_call',
        metadata: { functionName: 'get_weather', functionArguments: { location: 'Seattle' } },
      },
    ]);
    expect(types).toContain('TOOL_CALL_END');
  });

  it('continues with the decision', async () => {
    const calls: unknown[] = [];
    const agent = withApproval(weatherAgent(calls), () => true);
    await run(agent);
    expect((await run(agent, approval({ approved: true }))).text).toBe('It rains.');
    expect(calls).toEqual([{ location: 'Seattle' }]);
    await run(agent);
    const rejected = await run(agent, approval({ approved: false, reason: 'Look outside.' }));
    expect(rejected.text).toBe('No weather: Tool call invocation rejected. Look outside.');
    expect(calls).toHaveLength(1);
  });

  it('holds the calls of an agent of defineAgent, and runs them after the approval', async () => {
    const sent: unknown[] = [];
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      input: { type: 'object' },
      run: (input) => `sent ${sent.push(input)}`,
    });
    const calls = { calls: [{ id: 'c1', name: 'send', input: { to: 'a' } }] };
    const seen: unknown[] = [];
    const agent = withApproval(
      defineAgent({ id: 'mailer', model: scriptedModel([calls, 'Done.']), tools: [send] }),
      (call) => {
        seen.push(call);
        return true;
      },
    );
    const { messages, interrupts } = await agent.generate({ prompt: 'Go.' });
    expect([sent, seen]).toEqual([
      [],
      [{ type: 'functionCall', callId: 'c1', name: 'send', arguments: { to: 'a' } }],
    ]);
    const [part] = interrupts;
    const done = await agent.generate({ messages, resume: approve(part!) });
    expect([done.text, sent]).toEqual(['Done.', [{ to: 'a' }]]);
  });

  it('rejects an agent that may run its calls before it shows them', () => {
    const foreign = { id: 'foreign', async *run() {} };
    expect(() => withApproval(foreign as never, () => true)).toThrow(
      'may run its calls before it shows them',
    );
  });

  it('raises interrupts only for the calls that the rule selects', async () => {
    const calls: unknown[] = [];
    const agent = withApproval(weatherAgent(calls), async ({ name }) => name === 'launch');
    expect((await run(agent)).interrupts).toEqual([]);
    expect(calls).toHaveLength(1);
  });
});
