import { defined } from '../../core/index.ts';
import type { AgentStreamEvent } from '../../protocol/index.ts';
import type { Agent, GenerateOptions, GenerateStream, GeneratingAgent } from '../agent/agent.ts';
import { assembleAgent, partsOf } from '../agent/assemble-agent.ts';
import { createEventQueue } from '../agent/event-queue.ts';
import { measuredRunner } from './human-wait.ts';
import { openInterrupts } from './interrupt-stamp.ts';
import type { RunSpan } from './run-span.ts';
import { openRunSpan } from './run-span.ts';
import type { Telemetry, TelemetryOptions } from './telemetry.ts';
import { createTelemetry, iterateIn } from './telemetry.ts';
import { foreignIn, subagentRunner, tracedRunner } from './traced-runner.ts';

/**
 * The same agent with OpenTelemetry: a span for each run, a link from a resumed run to the interrupted one, the
 * waiting time of people in the histogram `holdpoint.human.wait`, and for an agent of ours a span for each model
 * call and tool. Spans contain no prompts, arguments and results unless `captureContent` is set. A subagent is
 * measured only if it was passed to `useTelemetry` itself.
 *
 * @example
 * ```ts
 * import * as api from '@opentelemetry/api';
 * import { defineAgent, useTelemetry } from 'holdpoint';
 * import { scriptedModel } from 'holdpoint/testing';
 *
 * const clerk = defineAgent({ id: 'clerk', model: scriptedModel(['Done.']) });
 * const measured = useTelemetry(clerk, { api });
 * ```
 */
export function useTelemetry<Options extends GenerateOptions>(
  agent: GeneratingAgent<Options>,
  options: TelemetryOptions,
): GeneratingAgent<Options>;
export function useTelemetry(agent: Agent, options: TelemetryOptions): Agent;
export function useTelemetry(agent: Agent, options: TelemetryOptions): Agent {
  const telemetry = createTelemetry(options);
  const parts = partsOf(agent);
  if (parts !== undefined) {
    const { runner } = parts;
    // Made for each run, so that all of its parts know the span of the run.
    const within = (span: RunSpan) =>
      assembleAgent({
        ...parts,
        runner: measuredRunner(tracedRunner(runner, telemetry, span), telemetry),
      });
    const asTool = assembleAgent({ ...parts, runner: subagentRunner(runner, telemetry, parts) });
    return Object.assign(asTool, watchRun(agent, telemetry, within), watchStream(agent, telemetry, within));
  }
  const watched = watchRun(agent, telemetry, (span) => foreignIn(agent, telemetry, span));
  if (!isGenerating(agent)) return { ...described(agent), ...watched };
  return { ...described(agent), ...watched, ...watchStream(agent, telemetry, () => agent) };
}

function isGenerating(agent: Agent): agent is GeneratingAgent {
  return 'generate' in agent && 'stream' in agent;
}

function described({ id, name, description, tools }: Agent): Omit<Agent, 'run'> {
  return {
    id,
    ...defined({ name, description, tools }),
  };
}

/** `run` with a span around each run; `within` gives the agent that runs in a span. */
export function watchRun(
  agent: Agent,
  telemetry: Telemetry,
  within: (span: RunSpan) => Pick<Agent, 'run'>,
): Pick<Agent, 'run'> {
  return {
    async *run(input, context = {}) {
      const { threadId, runId, parentRunId, resume = [] } = input;
      const resumes = resume.length > 0;
      // Only stored interrupts count, because the sender of an input could have written its messages.
      const known = context.openInterrupts ?? openInterrupts(context.history ?? []);
      const interrupts = resumes ? known : [];
      const span = openRunSpan(telemetry, { agent, threadId, runId, parentRunId, resumes, interrupts });
      yield* watched(span, telemetry, () => within(span).run(input, context));
    },
  };
}

/** `generate` and `stream` with a span around each run. */
export function watchStream(
  agent: Agent,
  telemetry: Telemetry,
  within: (span: RunSpan) => GeneratingAgent,
): Pick<GeneratingAgent, 'generate' | 'stream'> {
  const stream: GeneratingAgent['stream'] = (options) => {
    const { threadId, runId, messages = [], resume } = options;
    const resumes = resume !== undefined;
    const interrupts = resumes ? openInterrupts(messages) : [];
    const span = openRunSpan(telemetry, { agent, threadId, runId, resumes, interrupts });
    const stop = new AbortController();
    const signals = options.signal === undefined ? [stop.signal] : [options.signal, stop.signal];
    const inner = begun(span, telemetry, () =>
      within(span).stream({ ...options, signal: AbortSignal.any(signals) }),
    );
    const queue = createEventQueue<AgentStreamEvent>(() => stop.abort());
    // Reads at once instead of on demand, so that the span ends with the run even if only the response is awaited.
    const read = async () => {
      try {
        for await (const event of watched(span, telemetry, () => inner)) queue.push(event);
        queue.end();
      } catch (error) {
        queue.end(error);
      }
      return inner.response;
    };
    const response = read();
    response.catch(() => undefined);
    return { response, [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() };
  };
  return { stream, generate: async (options) => stream(options).response };
}

/** A run that fails to begin is recorded as failed too. */
function begun(span: RunSpan, telemetry: Telemetry, begin: () => GenerateStream): GenerateStream {
  try {
    return telemetry.api.context.with(span.context, begin);
  } catch (error) {
    span.failed(error);
    span.end();
    throw error;
  }
}

async function* watched(
  span: RunSpan,
  telemetry: Telemetry,
  open: () => AsyncIterable<AgentStreamEvent>,
): AsyncGenerator<AgentStreamEvent, void, undefined> {
  try {
    for await (const event of iterateIn(telemetry.api, span.context, open)) {
      span.saw(event);
      yield event;
    }
  } catch (error) {
    span.failed(error);
    throw error;
  } finally {
    span.end();
  }
}
