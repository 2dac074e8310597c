import type { Agent } from '../../engine/index.ts';
import { adapterAgent } from '../emit-run.ts';
import { rememberRun } from '../remember-run.ts';
import type { ContentForm } from '../user-content.ts';
import { canRetry, FORM, runAgent } from './run-agent.ts';
import { canRestart, reconcileRun, runWorkflow } from './run-workflow.ts';
import type { MastraAgent, MastraWorkflow } from './sdk.ts';
import type { AdapterAgent, AdapterOptions } from '../emit-run.ts';

export interface FromMastraOptions extends AdapterOptions {
  /** For a workflow: its input, from the newest text of the user. Default `{ message: text }`. */
  readonly toInput?: (text: string) => unknown;
}

/**
 * Puts an agent or a workflow of Mastra behind a host. A tool with `requireApproval` is an approval; a tool or a step that
 * suspends is an interrupt with its `resumeSchema`. Mastra keeps the suspended run, so it needs a storage that outlives the
 * process; memory threads are made of scope and thread, so that tenants never share one.
 *
 * @example
 * ```ts
 * import { createHost } from 'holdpoint/host';
 * import { fromMastra } from 'holdpoint/mastra';
 *
 * const host = createHost({ agents: { support: fromMastra(mastraAgent) }, store });
 * ```
 */
export function fromMastra(given: MastraAgent | MastraWorkflow, options: FromMastraOptions = {}): Agent {
  const { toInput = (text: string): unknown => ({ message: text }) } = options;
  if ('createRun' in given) {
    const agent = adapterAgent('mastra', options, (run) =>
      rememberRun(run, TEXT_ONLY, (turn) => runWorkflow(given, { run, turn, toInput })),
    );
    const workflow: AdapterAgent = {
      ...agent,
      takesDecision: true,
      canRetry: () => canRestart(given),
      reconcile: (interrupt) => reconcileRun(given, interrupt),
      // The host has no run that could show the end of a workflow that was resumed elsewhere.
      recheckMs: () => Number.MAX_SAFE_INTEGER,
    };
    return workflow;
  }
  const agent = adapterAgent('mastra', options, (run) =>
    rememberRun(run, FORM, (turn) => runAgent(given, { run, turn })),
  );
  const calls: AdapterAgent = { ...agent, showsCalls: true, canRetry };
  return calls;
}

const TEXT_ONLY: ContentForm<string> = {
  framework: 'A Mastra workflow',
  text: (text) => text,
  file: () => undefined,
};
