import { assertAnswer } from '../../content/interrupts/index.ts';
import { defined, HoldpointError, isRecord } from '../../core/index.ts';
import type { AgentContext } from '../../engine/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import { InterruptReason, validateCoverage } from '../../protocol/index.ts';
import type { PauseMemory, TaskMemory, Versioned } from './a2a-memory.ts';
import { taskIdOf } from './a2a-memory.ts';
import type { Bridge } from './bridge.ts';
import { changeTask } from './bridge.ts';

/** A task with an open pause. */
export type PausedTask = TaskMemory & { readonly pause: PauseMemory };

export interface FoundPause extends Versioned<PausedTask> {
  /** A person decided that an answer in doubt is sent again. */
  readonly isDecided: boolean;
}

/**
 * Finds the pause that the answers are for and checks them. Throws `INTERRUPT_UNKNOWN`, `INTERRUPTS_UNANSWERED` or
 * `ANSWER_INVALID`. It changes nothing.
 */
export async function findPause(bridge: Bridge, entries: readonly ResumeEntry[]): Promise<FoundPause> {
  const { memory, key, context } = bridge;
  const ids = entries.map(({ interruptId }) => interruptId);
  const tasks = [...new Set(ids.map(taskIdOf))];
  const [taskId] = tasks;
  const known = taskId === undefined || tasks.length > 1 ? undefined : await memory.readTask(key, taskId);
  const pause = known?.value.pause;
  const open = (pause?.interrupts ?? []).map(({ id, responseSchema }) => ({
    id,
    reason: '',
    ...defined({ responseSchema: responseSchema && { ...responseSchema } }),
  }));
  const { unknown, unanswered } = validateCoverage(open, [...entries], 0);
  if (known === undefined || pause === undefined || unknown.length > 0) {
    throw new HoldpointError(
      'INTERRUPT_UNKNOWN',
      `No task waits for ${(unknown.length > 0 ? unknown : ids).join(', ')}.`,
    );
  }
  if (unanswered.length > 0) {
    throw new HoldpointError(
      'INTERRUPTS_UNANSWERED',
      `These interrupts have no answer: ${unanswered.join(', ')}.`,
    );
  }
  for (const entry of entries) {
    const interrupt = open.find(({ id }) => id === entry.interruptId);
    if (interrupt !== undefined) assertAnswer(interrupt, entry);
  }
  const isDecided = isDecidedAbout(context, ids);
  return { version: known.version, value: { ...known.value, pause }, isDecided };
}

/**
 * Whether a person decided to send these answers again; without ids, the message of the run. A run that recovers has no decision:
 * the lost run may have carried it out.
 */
export function isDecidedAbout(
  { openInterrupts = [], recovers }: AgentContext,
  ids: readonly string[],
): boolean {
  if (recovers === true) return false;
  return openInterrupts.some(({ reason, metadata }) => {
    const named: unknown = isRecord(metadata) ? metadata['interruptIds'] : undefined;
    if (reason !== InterruptReason.ErrorRecovery || !Array.isArray(named)) return false;
    return named.length === ids.length && ids.every((id) => named.includes(id));
  });
}

/** The task of these answers if all of them are for pauses that are over; else undefined. */
export async function taskPast(
  { memory, key }: Bridge,
  entries: readonly ResumeEntry[],
): Promise<string | undefined> {
  const [taskId, ...others] = [...new Set(entries.map(({ interruptId }) => taskIdOf(interruptId)))];
  if (taskId === undefined || others.length > 0) return undefined;
  const known = await memory.readTask(key, taskId);
  if (known === undefined) return undefined;
  const open = new Set((known.value.pause?.interrupts ?? []).map(({ id }) => id));
  return entries.some(({ interruptId }) => open.has(interruptId)) ? undefined : taskId;
}

/** Claims the pause for this run, across processes. The claim is stored before anything is sent. Throws `INTERRUPT_CONFLICT`. */
export async function claimPause(
  { memory, key, input }: Bridge,
  { value, version, isDecided }: FoundPause,
  { outbound, entries }: { readonly outbound: string; readonly entries: readonly ResumeEntry[] },
): Promise<void> {
  const ids = entries.map(({ interruptId }) => interruptId).join(', ');
  const conflict = new HoldpointError('INTERRUPT_CONFLICT', `Another run has already answered ${ids}.`);
  if (value.pause.claim !== undefined && !isDecided) throw conflict;
  const pause = { ...value.pause, claim: { outbound, runId: input.runId } };
  if (!(await memory.writeTask(key, { ...value, pause }, version))) throw conflict;
}

/** Opens the pause again after its answer was not delivered. */
export async function releasePause(bridge: Bridge, { taskId }: PausedTask, outbound: string): Promise<void> {
  const task = await changeTask(bridge, taskId, (known) => {
    if (known?.pause?.claim?.outbound !== outbound) return undefined;
    const { claim: _removed, ...pause } = known.pause;
    return { ...known, pause };
  });
  if (task !== undefined) bridge.state.show(task);
}
