import { assertAnswer } from '../../content/questions/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import { InterruptReason, validateCoverage } from '../../protocol/index.ts';
import type { PauseMemory, TaskMemory, Versioned } from './a2a-memory.ts';
import type { Bridge } from './bridge.ts';
import { changeTask } from './bridge.ts';
import { taskOfQuestion } from './task-ids.ts';

/** A task that is known to wait. */
export type Paused = TaskMemory & { readonly pause: PauseMemory };

export interface FoundPause extends Versioned<Paused> {
  /** A person has said that an answer in doubt is to be given again. */
  readonly isDecided: boolean;
}

/**
 * The pause that answers are for. Throws `INTERRUPT_UNKNOWN`, `INTERRUPTS_UNANSWERED` or `ANSWER_INVALID`; nothing has
 * happened then.
 */
export async function findPause(bridge: Bridge, entries: readonly ResumeEntry[]): Promise<FoundPause> {
  const { memory, key, context } = bridge;
  const ids = entries.map(({ interruptId }) => interruptId);
  const tasks = [...new Set(ids.map(taskOfQuestion))];
  const [taskId] = tasks;
  const known = taskId === undefined || tasks.length > 1 ? undefined : await memory.readTask(key, taskId);
  const pause = known?.value.pause;
  const open = (pause?.questions ?? []).map(({ id, responseSchema }) => ({
    id,
    reason: '',
    ...(responseSchema === undefined ? {} : { responseSchema: { ...responseSchema } }),
  }));
  const { unknown, unanswered } = validateCoverage(open, [...entries], 0);
  if (known === undefined || pause === undefined || unknown.length > 0) {
    throw new HoldpointError(
      'INTERRUPT_UNKNOWN',
      `No task waits for ${(unknown.length > 0 ? unknown : ids).join(', ')}.`,
    );
  }
  if (unanswered.length > 0) {
    throw new HoldpointError('INTERRUPTS_UNANSWERED', `There is no answer to ${unanswered.join(', ')}.`);
  }
  for (const entry of entries) {
    const question = open.find(({ id }) => id === entry.interruptId);
    if (question !== undefined) assertAnswer(question, entry);
  }
  const isDecided = (context.openInterrupts ?? []).some(
    ({ reason, metadata }) =>
      reason === InterruptReason.ErrorRecovery &&
      isRecord(metadata) &&
      Array.isArray(metadata['interruptIds']) &&
      ids.every((id) => (metadata['interruptIds'] as unknown[]).includes(id)),
  );
  return { version: known.version, value: { ...known.value, pause }, isDecided };
}

/** The task of an answer that was given before, where it is past the question; undefined where it is not known to be. */
export async function taskPast(
  { memory, key }: Bridge,
  entries: readonly ResumeEntry[],
): Promise<string | undefined> {
  const [taskId, ...others] = [...new Set(entries.map(({ interruptId }) => taskOfQuestion(interruptId)))];
  if (taskId === undefined || others.length > 0) return undefined;
  const known = await memory.readTask(key, taskId);
  if (known === undefined) return undefined;
  const open = new Set((known.value.pause?.questions ?? []).map(({ id }) => id));
  return entries.some(({ interruptId }) => open.has(interruptId)) ? undefined : taskId;
}

/** Takes the pause for this run, in all processes together. What it takes is on record before anything is sent. */
export async function claimPause(
  { memory, key, input }: Bridge,
  { value, version, isDecided }: FoundPause,
  { outbound, entries }: { readonly outbound: string; readonly entries: readonly ResumeEntry[] },
): Promise<void> {
  const ids = entries.map(({ interruptId }) => interruptId).join(', ');
  const taken = new HoldpointError('INTERRUPT_CONFLICT', `Somebody else has answered ${ids}.`);
  // The claim that was in doubt is no longer one when a person has decided.
  if (value.pause.claim !== undefined && !isDecided) throw taken;
  const pause = { ...value.pause, claim: { outbound, runId: input.runId } };
  if (!(await memory.writeTask(key, { ...value, pause }, version))) throw taken;
}

/** The agent took nothing: the question is open again. */
export async function releasePause(bridge: Bridge, { taskId }: Paused, outbound: string): Promise<void> {
  const task = await changeTask(bridge, taskId, (known) => {
    if (known?.pause?.claim?.outbound !== outbound) return undefined;
    const { claim: _none, ...pause } = known.pause;
    return { ...known, pause };
  });
  if (task !== undefined) bridge.state.show(task);
}
