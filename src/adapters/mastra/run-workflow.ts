import { HoldpointError, isRecord, newId } from '../../core/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import type { RunWork } from '../emit-run.ts';
import { threadOf } from '../emit-run.ts';
import { inputInterrupt } from '../input-interrupt.ts';
import type { Turn, TurnEnd } from '../remember-run.ts';
import type { MastraRun, MastraWorkflow, WorkflowResult } from './sdk.ts';

/** Resumes the steps that have their answers, one after the other, or starts a run with the newest text. */
export async function* runWorkflow(
  workflow: MastraWorkflow,
  {
    run: { context, transcript, input },
    turn: { answers, contents },
    toInput,
  }: { readonly run: RunWork; readonly turn: Turn<string>; readonly toInput: (text: string) => unknown },
): AsyncGenerator<void, TurnEnd, undefined> {
  const resourceId = threadOf(input, context).scope;
  const open = async (runId: string) =>
    (await workflow.createRun({ runId, resourceId } as never)) as MastraRun;
  let result: WorkflowResult | undefined;
  let runId = '';
  for (const { interrupt, entry } of answers) {
    runId = String(interrupt.metadata?.['runId']);
    if (entry.status !== 'resolved') continue;
    const step = pathOf(interrupt);
    result = await (await open(runId)).resume({ step, resumeData: entry.payload ?? null });
  }
  if (answers.some(({ entry }) => entry.status === 'cancelled')) {
    // A step that nobody answers cannot go on, and neither can its run.
    await (await open(runId)).cancel();
    result = undefined;
  }
  const newest = contents.at(-1);
  if (newest !== undefined && !isSuspended(result)) {
    runId = (context.newId ?? newId)();
    result = await (await open(runId)).start({ inputData: toInput(String(newest)) });
  }
  if (result === undefined) return { data: null, interrupts: [] };
  if (isSuspended(result)) {
    const { steps, suspended } = result;
    return { data: null, interrupts: suspended.map((path) => toInterrupt({ path, steps, runId }, workflow)) };
  }
  if (result.status !== 'success') {
    const cause = 'error' in result ? result.error : undefined;
    throw new HoldpointError('INTERNAL', `The workflow ended with the status ${result.status}.`, { cause });
  }
  const value = 'result' in result ? result.result : undefined;
  transcript.text(`${input.runId}-result`, typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  yield;
  return { data: null, interrupts: [] };
}

type Suspended = Extract<WorkflowResult, { readonly suspended: unknown }>;

function isSuspended(result: WorkflowResult | undefined): result is Suspended {
  return result !== undefined && result.status === 'suspended';
}

function toInterrupt(
  {
    path,
    steps,
    runId,
  }: { readonly path: readonly string[]; readonly steps: unknown; readonly runId: string },
  workflow: MastraWorkflow,
): Interrupt {
  const step: unknown = isRecord(steps) ? steps[path[0] ?? ''] : undefined;
  return inputInterrupt({
    id: `${runId}-${path.join('.')}`,
    message: path.at(-1),
    schema: resumeSchemaOf(workflow, path),
    details: isRecord(step) ? step['suspendPayload'] : undefined,
    metadata: { runId, path },
  });
}

function pathOf({ metadata }: Interrupt): readonly string[] {
  const path: unknown = metadata?.['path'];
  return Array.isArray(path) ? path.map(String) : [];
}

/** The `resumeSchema` of a step, of a nested workflow too. */
function resumeSchemaOf(workflow: unknown, [first, ...rest]: readonly string[]): unknown {
  const steps: unknown = isRecord(workflow) ? workflow['steps'] : undefined;
  const step: unknown = isRecord(steps) && first !== undefined ? steps[first] : undefined;
  if (rest.length > 0) return resumeSchemaOf(step, rest);
  return isRecord(step) ? step['resumeSchema'] : undefined;
}
