import { expect, it } from 'vitest';
import { answer, approve, cancel, reject } from '../../content/index.ts';
import { runOnThread, WITH_FILES } from '../testing-support/run-on-thread.ts';
import type { FromGenkitOptions } from './from-genkit.ts';
import { fromGenkit } from './from-genkit.ts';
import type { GenkitPart } from './sdk.ts';

const request = (name: string, asked: object = {}): GenkitPart => ({
  toolRequest: { name, ref: name, input: { amount: 1 } },
  metadata: { interrupt: { message: `${name}?`, ...asked } },
});

interface StandInTurn {
  readonly messages: unknown[];
  readonly resume?: { readonly restart: readonly GenkitPart[] };
}

interface StandIn {
  /** The calls that the first turn interrupts. */
  readonly calls: readonly GenkitPart[];
  readonly options?: FromGenkitOptions;
  /** The error of a turn that restarts calls. */
  readonly failure?: Error;
}

/** Genkit: its first turn interrupts some calls, every later turn ends. */
function standIn({ calls, options, failure }: StandIn) {
  const turns: StandInTurn[] = [];
  const agent = fromGenkit(
    (turn: StandInTurn) => {
      const interrupts = turns.push(turn) === 1 ? calls : [];
      const isFailing = failure !== undefined && (turn.resume?.restart.length ?? 0) > 0;
      const stream = (async function* () {
        if (isFailing) throw failure;
        yield { content: interrupts.length > 0 ? interrupts : [{ text: 'Done.' }] };
      })();
      const response = isFailing
        ? Promise.reject(failure)
        : Promise.resolve({
            messages: [...turn.messages, { role: 'model', content: interrupts }],
            interrupts: interrupts.filter(({ metadata }) => metadata?.['interrupt'] !== undefined),
          });
      return { stream, response };
    },
    { respond: { ask: { type: 'string' } }, ...options },
  );
  return { turns, thread: runOnThread(agent) };
}

it('restarts a tool with the answer and edited arguments, and responds for a tool of defineInterrupt', async () => {
  const { turns, thread } = standIn({ calls: [request('pay'), request('ask')] });
  const { interrupts } = await thread.say('go');
  expect(interrupts.map(({ message, reason }) => [message, reason])).toEqual([
    ['pay?', 'tool_call'],
    ['ask?', 'input_required'],
  ]);
  await thread.run([approve(interrupts[0]!, { editedArgs: { amount: 2 } }), answer(interrupts[1]!, 'x')]);
  expect(turns[1]?.resume).toMatchObject({
    restart: [
      {
        toolRequest: { name: 'pay', ref: 'pay', input: { amount: 2 } },
        metadata: { resumed: { approved: true }, replacedInput: { amount: 1 } },
      },
    ],
    respond: [{ toolResponse: { name: 'ask', ref: 'ask', output: 'x' } }],
  });
});

it('closes cancelled calls without the model, and the next message finds them closed', async () => {
  const { turns, thread } = standIn({ calls: [request('pay')] });
  const { interrupts } = await thread.say('go');
  const answeredBy = { id: 'bob', scope: 'a' };
  expect((await thread.run([cancel(interrupts[0]!)], { answeredBy })).outcome).toBe('success');
  expect(turns).toHaveLength(1);
  await thread.say('next');
  expect(turns[1]?.messages.at(-2)).toMatchObject({
    role: 'tool',
    content: [{ toolResponse: { name: 'pay', output: 'Cancelled by bob.' } }],
  });
});

it('answers a rejected call with the reason, and restarts only the approved one', async () => {
  const { turns, thread } = standIn({ calls: [request('pay'), request('mail')] });
  const { interrupts } = await thread.say('go');
  await thread.run([reject(interrupts[0]!, 'over budget'), approve(interrupts[1]!)]);
  expect(turns[1]?.resume).toMatchObject({
    restart: [{ toolRequest: { name: 'mail' } }],
    respond: [
      { toolResponse: { name: 'pay', ref: 'pay', output: 'Tool call invocation rejected. over budget' } },
    ],
  });
});

it.each<[string, FromGenkitOptions, object]>([
  ['the option for all tools', { resumed: { status: 'APPROVED' } }, { status: 'APPROVED' }],
  ['the option by tool', { resumed: (name) => ({ [name]: 'yes' }) }, { pay: 'yes' }],
])('restarts an approved call with the `resumed` of %s', async (_name, options, resumed) => {
  const { turns, thread } = standIn({ calls: [request('pay')], options });
  const { interrupts } = await thread.say('go');
  await thread.run([approve(interrupts[0]!)]);
  expect(turns[1]?.resume?.restart[0]?.metadata?.['resumed']).toEqual(resumed);
});

const STATUS = { type: 'object', properties: { status: { enum: ['APPROVED', 'REJECTED'] } } };

it.each<[string, StandIn]>([
  ['the tool', { calls: [request('pay', { responseSchema: STATUS })] }],
  ['the option `restart`', { calls: [request('pay')], options: { restart: { pay: STATUS } } }],
])('asks for a value by the schema of %s, and restarts the call with it', async (_name, setting) => {
  const { turns, thread } = standIn(setting);
  const { interrupts } = await thread.say('go');
  expect(interrupts[0]?.responseSchema).toEqual(STATUS);
  await thread.run([answer(interrupts[0]!, { status: 'REJECTED' })]);
  expect(turns[1]?.resume?.restart[0]?.metadata?.['resumed']).toEqual({ status: 'REJECTED' });
});

it('gives the model the error of a call that throws after its approval, with the outputs of the other calls', async () => {
  const weather = {
    toolRequest: { name: 'weather', ref: 'weather' },
    metadata: { pendingOutput: '' },
  };
  const failure = new Error('Bank offline');
  const { turns, thread } = standIn({ calls: [weather, request('pay'), request('ask')], failure });
  const { interrupts } = await thread.say('go');
  const reports: unknown[] = [];
  const onDelivery = (report: unknown) => reports.push(report);
  const ended = await thread.run([approve(interrupts[0]!), answer(interrupts[1]!, 'x')], { onDelivery });
  expect(ended.outcome).toBe('success');
  expect(turns).toHaveLength(3);
  expect(turns[2]?.resume).toBeUndefined();
  expect(turns[2]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: [
      { toolResponse: { name: 'weather', output: '' } },
      { toolResponse: { name: 'ask', output: 'x' } },
      { toolResponse: { name: 'pay', output: 'pay failed: Bank offline' } },
    ],
  });
  expect(reports).toEqual([{ status: 'taken', failed: ['pay'] }]);
  expect(ended.messages.map(({ content }) => content)).toContain('pay failed: Bank offline');
});

it('warns that a tool asked again after its approval, and names the option', async () => {
  const failure = Object.assign(new Error('One or more tools triggered an interrupt.'), {
    detail: { message: { role: 'model', content: [] } },
  });
  const { thread } = standIn({ calls: [request('pay')], failure });
  const { interrupts } = await thread.say('go');
  const warnings: string[] = [];
  await thread.run([approve(interrupts[0]!)], { onWarning: (warning) => warnings.push(warning) });
  expect(warnings).toEqual([expect.stringContaining('fromGenkit(generate, { resumed })')]);
});

it('passes the files of a message on', async () => {
  const { turns, thread } = standIn({ calls: [] });
  await thread.say(WITH_FILES);
  const content = [
    { text: 'Look.' },
    { media: { url: 'data:image/png;base64,aGk=', contentType: 'image/png' } },
    { media: { url: 'https://example.com/a.pdf', contentType: 'application/pdf' } },
  ];
  expect(turns[0]?.messages).toEqual([{ role: 'user', content }]);
});
