import { DECIDED_TEXTS } from '../../content/interrupts/index.ts';
import { HoldpointError, isRecord, messageOf, newId } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import type { RunWork } from '../emit-run.ts';
import { threadOf } from '../emit-run.ts';
import { inputInterrupt } from '../input-interrupt.ts';
import type { Turn, TurnEnd } from '../remember-run.ts';
import type { MastraRun, MastraWorkflow, WorkflowResult } from './sdk.ts';

/** Resumes the steps that have their answers, one after the other, or starts a run with the newest text. */
export async function* runWorkflow(
  workflow: MastraWorkflow,
  {
    run,
    turn: { answers, contents },
    toInput,
  }: { readonly run: RunWork; readonly turn: Turn<string>; readonly toInput: (text: string) => unknown },
): AsyncGenerator<void, TurnEnd, undefined> {
  const { context, transcript, input, emitter } = run;
  const resourceId = threadOf(input, context).scope;
  const open = async (runId: string) =>
    (await workflow.createRun({ runId, resourceId } as never)) as MastraRun;
  const waiting = answers.map(({ interrupt }) => interrupt);
  const { decision } = context;
  if (decision !== undefined) {
    // Its lost run must not go on: Mastra restarts active runs, and would make the step again.
    for (const id of new Set(waiting.map(runIdOf))) await (await open(id)).cancel();
    const { result: said = DECIDED_TEXTS[decision.action] } = decision;
    transcript.text(`${input.runId}-decision`, typeof said === 'string' ? said : JSON.stringify(said));
    yield;
  }
  const given = decision === undefined ? answers : [];
  let result: WorkflowResult | undefined;
  let runId = '';
  const lost = lostRun(workflow, context);
  for (const [index, { interrupt, entry }] of given.entries()) {
    runId = runIdOf(interrupt);
    if (entry.status !== 'resolved') continue;
    try {
      result = await lost.giveAgain(await open(runId), interrupt, entry);
    } catch (error) {
      const isRefused = index === 0 && (await readRun(workflow, runId).then(waitsFor(interrupt)));
      if (!isRefused) return { data: null, interrupts: [], failure: failure(error), failed: waiting };
      // Mastra checks an answer by the step's own schema, which JSON Schema may not express.
      emitter.fail(`The workflow rejected the answer: ${messageOf(error)}`, { code: 'ANSWER_INVALID' });
      return { data: null, interrupts: waiting };
    }
  }
  if (given.some(({ entry }) => entry.status === 'cancelled')) {
    // A step that nobody answers cannot go on, and neither can its run.
    await (await open(runId)).cancel();
    result = undefined;
  }
  const newest = contents.at(-1);
  for (const step of ['answer', 'input']) {
    if (step === 'input') {
      if (newest === undefined || isSuspended(result)) break;
      runId = (context.newId ?? newId)();
      result = await (await open(runId)).start({ inputData: toInput(String(newest)) });
    }
    if (result === undefined || isSuspended(result)) continue;
    if (result.status !== 'success') {
      const cause = 'error' in result ? result.error : undefined;
      return { data: null, interrupts: [], failure: failure(cause ?? result.status), failed: waiting };
    }
    const value = 'result' in result ? result.result : undefined;
    transcript.text(
      `${input.runId}-${step}`,
      typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
    );
    yield;
  }
  if (!isSuspended(result)) return { data: null, interrupts: [] };
  const { steps, suspended } = result;
  return { data: null, interrupts: suspended.map((path) => toInterrupt({ path, steps, runId }, workflow)) };
}

function failure(cause: unknown): HoldpointError {
  // Mastra keeps errors as JSON.
  const stored = memberOf(cause, 'message');
  const text = typeof stored === 'string' ? stored : messageOf(cause);
  return new HoldpointError('TOOL_FAILED', `The workflow failed: ${text}`, { cause });
}

/** Gives the answers of a run that may have had them before. */
function lostRun(workflow: MastraWorkflow, { recovers, openInterrupts = [] }: RunWork['context']) {
  const isDecided = openInterrupts.some(({ reason }) => reason === InterruptReason.ErrorRecovery);
  let isRestarted = false;
  return {
    async giveAgain(one: MastraRun, interrupt: Interrupt, { payload }: ResumeEntry): Promise<WorkflowResult> {
      if (recovers === true || isDecided) {
        let now = await readRun(workflow, runIdOf(interrupt));
        if (now !== undefined && isActive(now) && one.restart !== undefined) {
          // It begins the step again, without the answer: most steps then suspend again.
          now = await one.restart();
          isRestarted = true;
        }
        const waits = isRestarted ? isAt(interrupt) : waitsFor(interrupt);
        if (now !== undefined && !waits(now)) return now;
      }
      return one.resume({ step: pathOf(interrupt), resumeData: payload ?? null });
    },
  };
}

/** Whether the answers of a lost run can be given again: a run that was lost in a step must be able to restart. */
export function canRestart(workflow: MastraWorkflow): boolean {
  const { engineType = 'default' } = workflow;
  return 'restartAllActiveWorkflowRuns' in workflow && (engineType === 'default' || engineType === 'evented');
}

/** Whether a workflow has an answer that may have reached it. */
export async function reconcileRun(
  workflow: MastraWorkflow,
  interrupt: Interrupt,
): Promise<'waiting' | 'taken' | 'consumed' | 'unknown'> {
  const now = await readRun(workflow, runIdOf(interrupt));
  if (now === undefined) return 'unknown';
  if (waitsFor(interrupt)(now)) return 'waiting';
  return isActive(now) ? 'consumed' : 'taken';
}

/** The stored state of a run; undefined where Mastra does not tell. */
async function readRun(workflow: MastraWorkflow, runId: string): Promise<WorkflowResult | undefined> {
  const state: unknown = await workflow.getWorkflowRunById?.(runId);
  if (!isRecord(state) || typeof state['status'] !== 'string') return undefined;
  const { status, steps, suspendedPaths, result, error } = state;
  if (status === 'success') return { status, result };
  if (status !== 'suspended') return { status, error };
  const suspended = Object.keys(isRecord(suspendedPaths) ? suspendedPaths : {}).map((step) => {
    const payload = memberOf(memberOf(steps, step), 'suspendPayload');
    const inner = memberOf(memberOf(payload, '__workflow_meta'), 'path');
    return [step, ...(Array.isArray(inner) ? inner.map(String) : [])];
  });
  return { status, suspended, steps };
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

type Suspended = Extract<WorkflowResult, { readonly suspended: unknown }>;

function isSuspended(result: WorkflowResult | undefined): result is Suspended {
  return result?.status === 'suspended' && 'suspended' in result;
}

/** Whether a run has begun work that no process may be doing. */
function isActive({ status }: WorkflowResult): boolean {
  return ['running', 'waiting', 'pending', 'paused'].includes(status);
}

/** Whether a run is suspended at the step of an interrupt. */
function isAt(interrupt: Interrupt) {
  const place = pathOf(interrupt).join('.');
  return (result: WorkflowResult | undefined): boolean =>
    isSuspended(result) && result.suspended.some((path) => path.join('.') === place);
}

/** Whether a run still waits for the answer to an interrupt: a step that suspends again asks something else. */
function waitsFor(interrupt: Interrupt) {
  const isSamePlace = isAt(interrupt);
  return (result: WorkflowResult | undefined): boolean =>
    isSamePlace(result) &&
    isSuspended(result) &&
    (suspendedAt(result.steps, pathOf(interrupt)) ?? null) === interrupt.metadata?.['suspendedAt'];
}

/** When a step was suspended. */
function suspendedAt(steps: unknown, [first = '']: readonly string[]): number | undefined {
  const time = memberOf(memberOf(steps, first), 'suspendedAt');
  return typeof time === 'number' ? time : undefined;
}

function toInterrupt(
  {
    path,
    steps,
    runId,
  }: { readonly path: readonly string[]; readonly steps: unknown; readonly runId: string },
  workflow: MastraWorkflow,
): Interrupt {
  return inputInterrupt({
    id: `${runId}-${path.join('.')}`,
    message: path.at(-1),
    schema: resumeSchemaOf(workflow, path),
    details: memberOf(memberOf(steps, path[0] ?? ''), 'suspendPayload'),
    metadata: { runId, path, suspendedAt: suspendedAt(steps, path) ?? null },
  });
}

function runIdOf({ metadata }: Interrupt): string {
  return String(metadata?.['runId']);
}

function pathOf({ metadata }: Interrupt): readonly string[] {
  const path: unknown = metadata?.['path'];
  return Array.isArray(path) ? path.map(String) : [];
}

/** The `resumeSchema` of a step, of a nested workflow too. */
function resumeSchemaOf(workflow: unknown, [first, ...rest]: readonly string[]): unknown {
  const step = memberOf(memberOf(workflow, 'steps'), first ?? '');
  if (rest.length > 0) return resumeSchemaOf(step, rest);
  return memberOf(step, 'resumeSchema');
}
