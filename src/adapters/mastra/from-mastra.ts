import { defined } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import { emitRun } from '../emit-run.ts';
import { rememberRun } from '../remember-run.ts';
import { runAgent } from './run-agent.ts';
import { runWorkflow } from './run-workflow.ts';
import type { MastraAgent, MastraWorkflow } from './sdk.ts';

export interface FromMastraOptions {
  /** Default `mastra`; a host that is given agents by name uses the name. */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
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
  const { id = 'mastra', name, description } = options;
  const toInput = options.toInput ?? ((text: string): unknown => ({ message: text }));
  return {
    id,
    ...defined({ name, description }),
    run: (input, context = {}) =>
      emitRun(input, context, (run) =>
        rememberRun(run, (turn) =>
          'createRun' in given ? runWorkflow(given, { run, turn, toInput }) : runAgent(given, { run, turn }),
        ),
      ),
  };
}
