import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { HistogramMetricData } from '@opentelemetry/sdk-metrics';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answer, approve, cancel, reject } from '../../content/interrupts/index.ts';
import type { ChatContent } from '../../content/index.ts';
import { isFunctionApprovalResponse } from '../../content/index.ts';
import type { AgentStreamEvent, Interrupt, Message, RunAgentInput } from '../../protocol/index.ts';
import { EventType, interruptsOf, isRunFinished } from '../../protocol/index.ts';
import type { Script } from '../../testing/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import type { Agent, GenerateResponse, ModelAgentOptions } from '../index.ts';
import { agentTool, defineAgent, defineInterrupt, defineTool } from '../index.ts';
import { collectEvents } from '../testing-support/collect-events.ts';
import { contentAgent } from '../agent/content-agent.ts';
import type { TelemetryApi } from './telemetry.ts';
import { useTelemetry } from './use-telemetry.ts';

/** Collects on request and keeps nothing. */
class MemoryReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

const exporter = new InMemorySpanExporter();
let reader: MemoryReader;
let time = 0;

beforeEach(() => {
  time = Date.parse('2030-01-01T00:00:00Z');
  reader = new MemoryReader();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterEach(() => {
  api.trace.disable();
  api.metrics.disable();
  api.context.disable();
  exporter.reset();
});

const weather = defineTool({
  name: 'weather',
  description: '',
  input: z.object({ city: z.string() }),
  run: ({ city }) => `sunny in ${city}`,
});
const pay = defineTool({
  name: 'pay',
  description: '',
  input: z.object({ amount: z.number() }),
  approval: true,
  run: ({ amount }) => ({ paid: amount }),
});
const PAY: Script = [{ calls: [{ id: 'c', name: 'pay', input: { amount: 5 } }] }, 'Paid.'];
const PAID: Script = (request) =>
  request.messages.at(-1)?.role === 'tool'
    ? 'Paid.'
    : { calls: [{ id: 'c', name: 'pay', input: { amount: 5 } }] };

const now = () => time;
const traced = (script: Script, rest: Partial<ModelAgentOptions> = {}) =>
  useTelemetry(defineAgent({ id: 'a', model: scriptedModel(script), tools: [weather, pay], ...rest }), {
    api,
    now,
  });
const stored = (response: GenerateResponse): Message[] => JSON.parse(JSON.stringify(response.messages));
const input = (messages: Message[], rest: Partial<RunAgentInput> = {}): RunAgentInput => ({
  threadId: 't',
  runId: 'r',
  messages,
  tools: [],
  context: [],
  ...rest,
});
const user: Message = { id: 'u', role: 'user', content: 'hi' };

const spans = () => exporter.getFinishedSpans();
const spanOf = (name: string): ReadableSpan => {
  const span = spans().findLast((candidate) => candidate.name === name);
  if (span === undefined)
    throw new Error(
      `No span ${name} among ${spans()
        .map((s) => s.name)
        .join(', ')}.`,
    );
  return span;
};

/** The spans as an indented tree, in the order of their start. */
function tree(list: readonly ReadableSpan[] = spans(), parent?: string, depth = 0): string[] {
  const ids = new Set(list.map((span) => span.spanContext().spanId));
  const isChild = ({ parentSpanContext: given }: ReadableSpan) =>
    parent === undefined ? !ids.has(given?.spanId ?? '') : given?.spanId === parent;
  const began = ({ startTime: [seconds, nanos] }: ReadableSpan) => seconds * 1e9 + nanos;
  return list
    .filter(isChild)
    .toSorted((a, b) => began(a) - began(b))
    .flatMap((span) => [
      `${'  '.repeat(depth)}${span.name}`,
      ...tree(list, span.spanContext().spanId, depth + 1),
    ]);
}

async function waits() {
  const { resourceMetrics } = await reader.collect();
  return resourceMetrics.scopeMetrics.flatMap(({ scope, metrics }) =>
    (metrics as HistogramMetricData[]).flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ value, attributes }) => ({
        scope: scope.name,
        name: descriptor.name,
        unit: descriptor.unit,
        count: value.count,
        sum: value.sum,
        attributes,
      })),
    ),
  );
}

describe('spans', () => {
  it('cover the run, its model calls and its tools, with attributes of the GenAI conventions', async () => {
    const agent = traced(
      [
        { calls: [{ id: 'c', name: 'weather', input: { city: 'Oslo' } }], usage: { inputTokens: 7 } },
        { text: 'Sunny.', usage: { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 } },
      ],
      { name: 'Forecaster', settings: { temperature: 0.2, topP: 0.9, maxOutputTokens: 50, seed: 1 } },
    );
    const { text } = await agent.generate({ prompt: 'x', threadId: 't', runId: 'r' });
    expect(text).toBe('Sunny.');
    expect(tree()).toEqual([
      'invoke_agent a',
      '  chat scripted',
      '  execute_tool weather',
      '  chat scripted',
    ]);
    expect(spanOf('invoke_agent a').attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'a',
      'gen_ai.agent.name': 'Forecaster',
      'gen_ai.conversation.id': 't',
      'ag_ui.thread_id': 't',
      'ag_ui.run_id': 'r',
      'ag_ui.continuation': false,
      'ag_ui.outcome': 'success',
      'ag_ui.event_count': 10,
    });
    expect(spanOf('chat scripted')).toMatchObject({ kind: api.SpanKind.CLIENT });
    expect(spanOf('chat scripted').attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'holdpoint',
      'gen_ai.request.model': 'scripted',
      'gen_ai.request.temperature': 0.2,
      'gen_ai.request.top_p': 0.9,
      'gen_ai.request.max_tokens': 50,
      'gen_ai.request.seed': 1,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 9,
      'gen_ai.usage.output_tokens': 2,
      'gen_ai.usage.cache_read.input_tokens': 4,
    });
    expect(spanOf('execute_tool weather').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'weather',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 'c',
    });
    expect(spans().map(({ instrumentationScope: { name } }) => name)).toEqual(Array(4).fill('holdpoint'));
  });

  it('spans are the same for a run of AG-UI events, whose events stay unchanged', async () => {
    const script: Script = [{ calls: [{ id: 'c', name: 'weather', input: { city: 'Oslo' } }] }, 'ok'];
    const plain = defineAgent({ id: 'a', model: scriptedModel(script), tools: [weather] });
    const expected = await collectEvents(plain, input([user]));
    const events = await collectEvents(traced(script), input([user], { parentRunId: 'before' }));
    expect(events.map(({ type }) => type)).toEqual(expected.map(({ type }) => type));
    expect(tree()).toEqual([
      'invoke_agent a',
      '  chat scripted',
      '  execute_tool weather',
      '  chat scripted',
    ]);
    expect(spanOf('invoke_agent a').attributes).toMatchObject({
      'ag_ui.thread_id': 't',
      'ag_ui.run_id': 'r',
      'ag_ui.parent_run_id': 'before',
      'ag_ui.event_count': events.length,
    });
  });

  it('spans are the same for a stream, whether its events are read or not', async () => {
    const stream = traced(['ok']).stream({ prompt: 'x' });
    const events: AgentStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect((await stream.response).text).toBe('ok');
    expect(spanOf('invoke_agent a').attributes['ag_ui.event_count']).toBe(events.length);
    exporter.reset();
    await traced(['ok']).stream({ prompt: 'x' }).response;
    expect(spanOf('invoke_agent a').attributes['ag_ui.event_count']).toBe(events.length);
  });

  it('spans are children of the active span, and parents of the work of tools and models', async () => {
    const tracer = api.trace.getTracer('application');
    const lookUp = defineTool({
      name: 'lookUp',
      description: '',
      input: z.object({}),
      run: (_input, ctx) =>
        ctx.step('query', async () => tracer.startActiveSpan('query', (span) => span.end())),
    });
    const model = scriptedModel([{ calls: [{ name: 'lookUp' }] }, 'ok']);
    const agent = useTelemetry(
      defineAgent({
        id: 'a',
        model: {
          model: 'm',
          async *stream(request) {
            for await (const part of model.stream(request)) {
              if (part.type === 'finish') tracer.startSpan('POST').end();
              yield part;
            }
          },
        },
        tools: [lookUp],
      }),
      { api, tracerName: 'mine' },
    );
    await tracer.startActiveSpan('GET /chat', async (span) => {
      await agent.generate({ prompt: 'x' });
      span.end();
    });
    expect(tree()).toEqual([
      'GET /chat',
      '  invoke_agent a',
      '    chat m',
      '      POST',
      '    execute_tool lookUp',
      '      query',
      '    chat m',
      '      POST',
    ]);
    expect(spanOf('chat m').instrumentationScope.name).toBe('mine');
  });

  it('spans are children of their run without a context manager too', async () => {
    api.context.disable();
    await traced([{ calls: [{ name: 'weather', input: { city: 'Oslo' } }] }, 'ok']).generate({ prompt: 'x' });
    expect(tree()).toEqual([
      'invoke_agent a',
      '  chat scripted',
      '  execute_tool weather',
      '  chat scripted',
    ]);
  });

  it('spans of concurrent runs stay separate', async () => {
    const agent = traced(() => 'ok');
    await Promise.all([agent.generate({ prompt: '1' }), agent.generate({ prompt: '2' })]);
    expect(tree()).toEqual(['invoke_agent a', '  chat scripted', 'invoke_agent a', '  chat scripted']);
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(2);
  });

  it('contain no content unless captureContent is set', async () => {
    const secret = defineTool({
      name: 'secret',
      description: '',
      input: z.object({ key: z.string() }),
      run: () => ({ output: 'SECRET-output' }),
    });
    const failing = defineTool({
      name: 'failing',
      description: '',
      input: z.object({}),
      run: () => Promise.reject(new TypeError('SECRET-error')),
    });
    const script: Script = [
      {
        reasoning: 'SECRET-thought',
        text: 'SECRET-text',
        calls: [{ id: 'c', name: 'secret', input: { key: 'SECRET-input' } }, { name: 'failing' }],
      },
      'SECRET-end',
    ];
    const make = (captureContent?: boolean) =>
      useTelemetry(
        defineAgent({
          id: 'a',
          model: scriptedModel(script),
          instructions: 'SECRET-instructions',
          tools: [secret, failing],
        }),
        { api, ...(captureContent === undefined ? {} : { captureContent }) },
      );
    const shown = () =>
      JSON.stringify(spans().map(({ attributes, events, status }) => [attributes, events, status]));
    await make().generate({ prompt: 'SECRET-prompt' });
    expect(shown()).not.toContain('SECRET');
    exporter.reset();
    await make(true).generate({ prompt: 'SECRET-prompt' });
    for (const what of ['thought', 'text', 'input', 'output', 'error', 'instructions', 'prompt', 'end']) {
      expect(shown()).toContain(`SECRET-${what}`);
    }
    const content = (name: string, attribute: string): unknown =>
      JSON.parse(String(spanOf(name).attributes[attribute]));
    expect(content('execute_tool secret', 'gen_ai.tool.call.arguments')).toEqual({ key: 'SECRET-input' });
    expect(content('execute_tool secret', 'gen_ai.tool.call.result')).toEqual({ output: 'SECRET-output' });
    expect(content('chat scripted', 'gen_ai.system_instructions')).toEqual([
      { type: 'text', content: 'SECRET-instructions' },
    ]);
    expect(content('chat scripted', 'gen_ai.output.messages')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'SECRET-end' }], finish_reason: 'stop' },
    ]);
    expect(content('chat scripted', 'gen_ai.input.messages')).toMatchObject([
      { role: 'user', parts: [{ type: 'text', content: 'SECRET-prompt' }] },
      { role: 'assistant', parts: [{ type: 'reasoning', content: 'SECRET-thought' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'SECRET-text' },
          { type: 'tool_call', id: 'c', name: 'secret', arguments: { key: 'SECRET-input' } },
          { type: 'tool_call', name: 'failing', arguments: {} },
        ],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: 'c', response: '{"output":"SECRET-output"}' }],
      },
      { role: 'tool' },
    ]);
  });
});

describe('failed spans', () => {
  const failed = (code: string) => ({
    status: { code: api.SpanStatusCode.ERROR, message: code },
    attributes: { 'error.type': code },
  });

  it('include the run of a failed model', async () => {
    const agent = traced([{ text: 'Half', error: new RangeError('no') }]);
    await expect(agent.generate({ prompt: 'x' })).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(spanOf('chat scripted')).toMatchObject(failed('RangeError'));
    expect(spanOf('invoke_agent a')).toMatchObject(failed('MODEL_FAILED'));
    expect(spanOf('invoke_agent a').attributes['ag_ui.outcome']).toBe('error');
  });

  it('include only the tool of a failed tool', async () => {
    const failing = defineTool({
      name: 'failing',
      description: '',
      input: z.object({}),
      run: () => Promise.reject(new TypeError('no')),
    });
    await traced([{ calls: [{ name: 'failing' }] }, 'ok'], { tools: [failing] }).generate({ prompt: 'x' });
    expect(spanOf('execute_tool failing')).toMatchObject(failed('TypeError'));
    expect(spanOf('invoke_agent a').status.code).toBe(api.SpanStatusCode.UNSET);
  });

  it('include a tool that ignores its time limit, whose span ends at the limit', async () => {
    const hang = defineTool({
      name: 'hang',
      description: '',
      input: z.object({}),
      timeoutMs: 1,
      run: () => new Promise(() => undefined),
    });
    await traced([{ calls: [{ name: 'hang' }] }, 'ok'], { tools: [hang] }).generate({ prompt: 'x' });
    expect(spanOf('execute_tool hang')).toMatchObject(failed('TOOL_FAILED'));
  });

  it('include a run that could not begin', async () => {
    await expect(traced([]).generate({})).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(spanOf('invoke_agent a')).toMatchObject(failed('INPUT_INVALID'));
  });

  it('exclude a run that its reader left', async () => {
    let onHang: () => void = () => undefined;
    const leaveWhileItHangs = async (events: AsyncIterable<AgentStreamEvent>) => {
      const hangs = new Promise<void>((resolve) => {
        onHang = resolve;
      });
      for await (const { type } of events) {
        if (type !== 'TOOL_CALL_END') continue;
        await hangs;
        break;
      }
    };
    const hang = defineTool({
      name: 'hang',
      description: '',
      input: z.object({}),
      run: (_input, ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(new Error('stopped')));
          onHang();
        }),
    });
    const agent = traced(() => ({ calls: [{ name: 'hang' }] }), { tools: [hang] });
    await leaveWhileItHangs(agent.run(input([user])));
    const stream = agent.stream({ prompt: 'x' });
    await leaveWhileItHangs(stream);
    await expect(stream.response).rejects.toThrow('was stopped');
    expect(spans().map(({ name }) => name)).toContain('execute_tool hang');
    for (const span of spans()) expect(span.status.code).toBe(api.SpanStatusCode.UNSET);
    const runs = spans().filter(({ name }) => name === 'invoke_agent a');
    expect(runs.map(({ attributes }) => attributes['ag_ui.outcome'])).toEqual(['cancelled', 'cancelled']);
  });
});

describe('a run that waits for a person', () => {
  it('a run that waits for a person is linked from the run that continues it, in another process', async () => {
    const paused = await traced(PAID).generate({ prompt: 'x' });
    const interrupted = spanOf('invoke_agent a');
    const [part] = paused.interrupts;
    expect(interrupted.attributes).toMatchObject({
      'ag_ui.outcome': 'interrupt',
      'ag_ui.interrupt_ids': [part!.interrupt.id],
    });
    expect(interrupted.status.code).toBe(api.SpanStatusCode.UNSET);
    expect(part!.interrupt.metadata).toMatchObject({
      functionName: 'pay',
      raisedAt: '2030-01-01T00:00:00.000Z',
    });
    exporter.reset();

    const done = await traced(PAID).generate({ messages: stored(paused), resume: [approve(part!)] });
    expect(done.text).toBe('Paid.');
    expect(JSON.stringify(done.messages)).not.toMatch(/traceparent|raisedAt/);
    const resumed = spanOf('invoke_agent a');
    const { traceId, spanId } = interrupted.spanContext();
    expect(resumed.links).toMatchObject([{ context: { traceId, spanId, traceFlags: 1, isRemote: true } }]);
    expect(resumed.attributes).toMatchObject({ 'ag_ui.continuation': true, 'ag_ui.outcome': 'success' });
    expect(resumed.spanContext().traceId).not.toBe(traceId);
    expect(tree()).toEqual(['invoke_agent a', '  execute_tool pay', '  chat scripted']);
  });

  it('a run that waits for a person has the same metadata on the wire as in process, and is linked from there', async () => {
    const events = await collectEvents(traced(PAID), input([user]));
    const { traceId, spanId } = spanOf('invoke_agent a').spanContext();
    expect(events.at(-1)).toMatchObject({
      outcome: { interrupts: [{ metadata: { traceparent: `00-${traceId}-${spanId}-01` } }] },
    });
    const snapshot = events.find(({ type }) => type === 'MESSAGES_SNAPSHOT');
    expect(JSON.stringify(snapshot)).not.toContain('traceparent');
    const paused = await traced(PAID).generate({ prompt: 'x' });
    const interrupted = spanOf('invoke_agent a').spanContext();
    const resume = [approve(paused.interrupts[0]!)];
    await collectEvents(traced(PAID), input([], { runId: 'r2', resume }), { history: stored(paused) });
    expect(spanOf('invoke_agent a').links).toMatchObject([{ context: { spanId: interrupted.spanId } }]);
  });

  it('a run that waits for a person is linked once for several interrupts', async () => {
    const calls = ['c1', 'c2'].map((id) => ({ id, name: 'pay', input: { amount: 1 } }));
    const agent = traced([{ calls }, 'ok']);
    const paused = await agent.generate({ prompt: 'x' });
    const resume = paused.interrupts.map((part) => approve(part));
    await agent.generate({ messages: stored(paused), resume });
    expect(spanOf('invoke_agent a').links).toHaveLength(1);
  });

  it('a run that waits for a person does not report its suspended tools as errors', async () => {
    const asking = defineTool({
      name: 'asking',
      description: '',
      input: z.object({}),
      run: (_input, ctx) => ctx.ask('sure', { schema: z.boolean() }),
    });
    const agent = traced([{ calls: [{ name: 'asking' }] }, 'ok'], { tools: [asking] });
    const paused = await agent.generate({ prompt: 'x' });
    const suspended = spanOf('execute_tool asking');
    expect(suspended.attributes['holdpoint.suspended']).toBe(true);
    expect(suspended.status.code).toBe(api.SpanStatusCode.UNSET);
    exporter.reset();
    await agent.generate({ messages: stored(paused), resume: [answer(paused.interrupts[0]!, true)] });
    expect(spanOf('execute_tool asking').attributes).not.toHaveProperty('holdpoint.suspended');
  });

  it('a run that waits for a person has raisedAt but no traceparent without a recording span', async () => {
    api.trace.disable();
    const paused = await traced(PAID).generate({ prompt: 'x' });
    expect(paused.interrupts[0]!.metadata).not.toHaveProperty('traceparent');
    time += 1000;
    const resume = [approve(paused.interrupts[0]!)];
    expect((await traced(PAID).generate({ messages: stored(paused), resume })).text).toBe('Paid.');
    expect(await waits()).toMatchObject([{ sum: 1 }]);
  });

  it('continues from messages with invalid metadata', async () => {
    const paused = await traced(PAID).generate({ prompt: 'x' });
    const text = JSON.stringify(paused.messages);
    const broken = text
      .replaceAll(/"traceparent":"[^"]*"/g, '"traceparent":"x"')
      .replaceAll('2030-', 'soon-');
    const resume = [approve(paused.interrupts[0]!)];
    const done = await traced(PAID).generate({ messages: JSON.parse(broken) as Message[], resume });
    expect(done.text).toBe('Paid.');
    expect(spanOf('invoke_agent a').links).toEqual([]);
    expect(await waits()).toEqual([]);
  });
});

describe('holdpoint.human.wait', () => {
  const color = defineInterrupt({
    name: 'color',
    description: '',
    input: z.object({}),
    response: z.string(),
  });

  it('holdpoint.human.wait is a histogram in seconds by tool, kind and decision', async () => {
    const calls = [
      ...['c1', 'c2', 'c3'].map((id) => ({ id, name: 'pay', input: { amount: 1 } })),
      { id: 'c4', name: 'color' },
    ];
    const agent = traced([{ calls }, 'ok'], { tools: [pay, color] });
    const paused = await agent.generate({ prompt: 'x' });
    const [yes, no, nobody, blue] = paused.interrupts;
    time += 90_500;
    const resume = [approve(yes!), reject(no!), cancel(nobody!), color.respond(blue!, 'blue')];
    await agent.generate({ messages: stored(paused), resume });
    const point = (tool: string, kind: string, decision: string) => ({
      scope: 'holdpoint',
      name: 'holdpoint.human.wait',
      unit: 's',
      count: 1,
      sum: 90.5,
      attributes: {
        'gen_ai.tool.name': tool,
        'holdpoint.interrupt.kind': kind,
        'holdpoint.decision': decision,
      },
    });
    expect(await waits()).toEqual([
      point('pay', 'approval', 'approved'),
      point('pay', 'approval', 'rejected'),
      point('pay', 'approval', 'cancelled'),
      point('color', 'respond', 'answered'),
    ]);
  });

  it('continues while answers are rejected, and ends even if the model fails afterwards', async () => {
    const agent = traced([
      { calls: [{ id: 'c', name: 'pay', input: { amount: 5 } }] },
      { error: new Error('down') },
    ]);
    const paused = await agent.generate({ prompt: 'x' });
    time += 1000;
    const { id: interruptId } = paused.interrupts[0]!.interrupt;
    const wrong = agent.generate({
      messages: stored(paused),
      resume: [{ interruptId, status: 'resolved', payload: 'perhaps' }],
    });
    await expect(wrong).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    expect(await waits()).toEqual([]);
    time += 1000;
    const right = agent.generate({ messages: stored(paused), resume: [approve(paused.interrupts[0]!)] });
    await expect(right).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(await waits()).toMatchObject([{ count: 1, sum: 2 }]);
  });

  it('continues for an interrupt that a subagent raises again', async () => {
    const choose = defineInterrupt({
      name: 'choose',
      description: '',
      input: z.object({}),
      response: z.string().refine((value) => value !== 'neither'),
    });
    const ask: Script = (request) =>
      request.messages.at(-1)?.role === 'tool' ? 'ok' : { calls: [{ name: 'choose' }] };
    const helper = defineAgent({ id: 'helper', model: scriptedModel(ask), tools: [choose] });
    const boss = traced([{ calls: [{ name: 'helper', input: { prompt: 'x' } }] }, 'Done.'], {
      tools: [agentTool(helper)],
    });
    const paused = await boss.generate({ prompt: 'x' });
    time += 1000;
    const neither = [choose.respond(paused.interrupts[0]!, 'neither')];
    const again = await boss.generate({ messages: stored(paused), resume: neither });
    expect(again.interrupts).toEqual(paused.interrupts);
    expect(await waits()).toEqual([]);
    time += 1000;
    const blue = [choose.respond(again.interrupts[0]!, 'blue')];
    expect((await boss.generate({ messages: stored(again), resume: blue })).text).toBe('Done.');
    expect(await waits()).toMatchObject([{ count: 1, sum: 2 }]);
  });

  it('uses the clock of the run by default', async () => {
    const agent = useTelemetry(defineAgent({ id: 'a', model: scriptedModel(PAY), tools: [pay] }), { api });
    const paused = await agent.generate({ prompt: 'x', clock: { now: () => 1000 } });
    const resume = [approve(paused.interrupts[0]!)];
    await agent.generate({ messages: stored(paused), resume, clock: { now: () => 8000 } });
    expect(await waits()).toMatchObject([{ sum: 7 }]);
  });
});

describe('telemetry of other agents', () => {
  it('gives a subagent a run inside the parent run, and records one wait for one answer', async () => {
    const cashier = useTelemetry(defineAgent({ id: 'cashier', model: scriptedModel(PAID), tools: [pay] }), {
      api,
      now,
    });
    const boss = () =>
      traced(
        (request) =>
          request.messages.at(-1)?.role === 'tool'
            ? 'Done.'
            : { calls: [{ name: 'cashier', input: { prompt: 'Pay 5.' } }] },
        { id: 'boss', tools: [agentTool(cashier)] },
      );
    const paused = await boss().generate({ prompt: 'x' });
    expect(tree()).toEqual([
      'invoke_agent boss',
      '  chat scripted',
      '  invoke_agent cashier',
      '    chat scripted',
    ]);
    const raised = spanOf('invoke_agent cashier');
    expect(raised.attributes).toMatchObject({
      'ag_ui.outcome': 'interrupt',
      'ag_ui.interrupt_ids': [paused.interrupts[0]!.interrupt.id],
    });
    exporter.reset();
    time += 3000;
    const done = await boss().generate({
      messages: stored(paused),
      resume: [approve(paused.interrupts[0]!)],
    });
    expect(done.text).toBe('Done.');
    expect(tree()).toEqual([
      'invoke_agent boss',
      '  invoke_agent cashier',
      '    execute_tool pay',
      '    chat scripted',
      '  chat scripted',
    ]);
    const { spanId } = raised.spanContext();
    expect(spanOf('invoke_agent boss').links).toMatchObject([{ context: { spanId } }]);
    expect(spanOf('invoke_agent cashier').links).toMatchObject([{ context: { spanId } }]);
    expect(await waits()).toMatchObject([{ count: 1, sum: 3, attributes: { 'gen_ai.tool.name': 'pay' } }]);
  });

  it('shows the run and the interrupts of plain code, without its hidden call', async () => {
    const agent = useTelemetry(
      defineAgent({
        id: 'script',
        async run(_input, ctx) {
          const city = await ctx.ask('city', { schema: z.string() });
          const model = scriptedModel([{ calls: [{ name: 'weather', input: { city } }] }, 'ok']);
          return (await ctx.generate({ model, prompt: 'x', tools: [weather] })).text;
        },
      }),
      { api, now },
    );
    const paused = await agent.generate({ prompt: 'x' });
    expect(tree()).toEqual(['invoke_agent script']);
    const { spanId } = spanOf('invoke_agent script').spanContext();
    time += 2000;
    const resume = [answer(paused.interrupts[0]!, 'Oslo')];
    expect((await agent.generate({ messages: stored(paused), resume })).text).toBe('ok');
    expect(spanOf('invoke_agent script').links).toMatchObject([{ context: { spanId } }]);
    expect(spanOf('execute_tool weather').parentSpanContext).toEqual(
      spanOf('invoke_agent script').spanContext(),
    );
    expect(spans().map(({ name }) => name)).not.toContainEqual(expect.stringContaining('agent:'));
    expect(await waits()).toMatchObject([
      { sum: 2, attributes: { 'holdpoint.interrupt.kind': 'ask', 'holdpoint.decision': 'answered' } },
    ]);
    expect((await waits())[0]!.attributes).not.toHaveProperty('gen_ai.tool.name');
  });

  it('gives a foreign agent the span of its run', async () => {
    const base = { threadId: 't', runId: 'r' };
    const foreign = (end: 'interrupt' | 'error' | 'throw'): Agent => ({
      id: 'foreign',
      description: 'Elsewhere.',
      async *run() {
        api.trace.getTracer('foreign').startSpan('work').end();
        yield { type: EventType.RUN_STARTED, ...base };
        api.trace.getTracer('foreign').startSpan('more work').end();
        if (end === 'throw') throw new SyntaxError('no');
        if (end === 'error') yield { type: EventType.RUN_ERROR, message: 'no', code: 'THEIRS' };
        else {
          const interrupts = [{ id: 'q', reason: 'x' }];
          yield { type: EventType.RUN_FINISHED, ...base, outcome: { type: 'interrupt', interrupts } };
        }
      },
    });
    const agent = useTelemetry(foreign('interrupt'), { api });
    expect(agent).toMatchObject({ id: 'foreign', description: 'Elsewhere.' });
    expect(agent).not.toHaveProperty('generate');
    const resume = [{ interruptId: 'q0', status: 'resolved' as const }];
    await collectEvents(agent, input([user], { resume }));
    expect(tree()).toEqual(['invoke_agent foreign', '  work', '  more work']);
    expect(spanOf('invoke_agent foreign').attributes).toMatchObject({
      'ag_ui.continuation': true,
      'ag_ui.outcome': 'interrupt',
      'ag_ui.interrupt_ids': ['q'],
      'ag_ui.event_count': 2,
    });
    await collectEvents(useTelemetry(foreign('error'), { api }), input([user]));
    expect(spanOf('invoke_agent foreign').status).toEqual({ code: 2, message: 'THEIRS' });
    await expect(collectEvents(useTelemetry(foreign('throw'), { api }), input([user]))).rejects.toThrow('no');
    expect(spanOf('invoke_agent foreign').status).toEqual({ code: 2, message: 'SyntaxError' });
  });

  it('links and times a foreign agent if a store keeps its interrupts', async () => {
    const asking = () =>
      useTelemetry(
        contentAgent({
          id: 'parts',
          async *run(messages): AsyncGenerator<ChatContent> {
            const contents = messages.flatMap((message) => message.contents);
            const functionCall = { type: 'functionCall', callId: 'c', name: 'get_weather' } as const;
            if (contents.some(isFunctionApprovalResponse)) yield { type: 'text', text: 'It rains.' };
            else yield { type: 'functionApprovalRequest', id: 'q', functionCall };
          },
        }),
        { api, now },
      );
    const asked = (await collectEvents(asking(), input([user]))).findLast(isRunFinished);
    const openInterrupts: Interrupt[] = JSON.parse(JSON.stringify(interruptsOf(asked!)));
    const { spanId } = spanOf('invoke_agent parts').spanContext();
    time += 4000;
    const wrong = [{ interruptId: 'other', status: 'cancelled' as const }];
    await collectEvents(asking(), input([user], { resume: wrong }), { openInterrupts });
    const resume = [reject(openInterrupts[0]!)];
    await collectEvents(asking(), input([user], { resume }), { openInterrupts });
    expect(spanOf('invoke_agent parts').links).toMatchObject([{ context: { spanId } }]);
    expect(await waits()).toMatchObject([
      {
        count: 1,
        sum: 4,
        attributes: { 'gen_ai.tool.name': 'get_weather', 'holdpoint.decision': 'rejected' },
      },
    ]);
  });
});

describe('the telemetry API', () => {
  it('accepts the real package', () => {
    const real: TelemetryApi = api;
    expect(real.trace).toBe(api.trace);
  });

  it('the telemetry API is not used by an agent without telemetry', async () => {
    const agent = defineAgent({ id: 'a', model: scriptedModel(PAY), tools: [pay] });
    const paused = await agent.generate({ prompt: 'x' });
    expect(paused.interrupts[0]!.metadata).toEqual({ functionName: 'pay', functionArguments: { amount: 5 } });
    await agent.generate({ messages: stored(paused), resume: [approve(paused.interrupts[0]!)] });
    expect(spans()).toEqual([]);
    expect(await waits()).toEqual([]);
  });

  it('leaves the given agent unchanged', async () => {
    const plain = defineAgent({ id: 'a', model: scriptedModel(() => 'ok'), tools: [weather] });
    const measured = useTelemetry(plain, { api });
    await plain.generate({ prompt: 'x' });
    expect(spans()).toEqual([]);
    expect(measured.tools).toEqual(plain.tools);
  });
});
