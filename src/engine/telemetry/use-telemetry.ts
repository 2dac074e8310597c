import type { Agent, GenerateOptions, GeneratingAgent } from '../agent/agent.ts';
import { assembleAgent, partsOf } from '../agent/assemble-agent.ts';
import { foreignIn } from './foreign-agent.ts';
import { measuredRunner } from './measured-runner.ts';
import type { RunSpan } from './run-span.ts';
import type { TelemetryOptions } from './telemetry.ts';
import { createTelemetry } from './telemetry.ts';
import { subagentRunner, tracedRunner } from './traced-runner.ts';
import { watchRun, watchStream } from './watch-agent.ts';

/**
 * The same agent, measured with OpenTelemetry: a span for each run, a link from a run that resumes to the one that was
 * interrupted, the time people took in the histogram `holdpoint.human.wait`, and for an agent of ours a span for each
 * model call and each tool. Prompts, arguments and results stay out of the spans unless `captureContent` says
 * otherwise. An agent that is a tool of another is measured where it was itself given here first.
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
    // Made anew for each run, so that all of it knows the span of its run.
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
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(tools === undefined ? {} : { tools }),
  };
}
