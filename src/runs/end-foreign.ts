import type { OnExpire } from '../content/interrupts/index.ts';
import { isApprovable, recoveryResponseSchema } from '../content/interrupts/index.ts';
import { defined, isRecord } from '../core/index.ts';
import { compileForeignSchema, hasSecrets } from '../core/schema/index.ts';
import type { AgentStreamEvent, Interrupt, ResumeEntry } from '../protocol/index.ts';
import { EventType, InterruptReason } from '../protocol/index.ts';
import type { DecidedInterrupts } from './decide-shown-calls.ts';
import type { ForeignRun, ForeignOutput } from './foreign-output.ts';
import { createOutput } from './foreign-output.ts';
import type { HostAgent } from './host-agent.ts';
import { publishInterrupts, readForeignTurn, usableId, writeForeignTurn } from './foreign-turn.ts';

type FinishedEvent = Extract<AgentStreamEvent, { type: EventType.RUN_FINISHED }>;

/** Ends a foreign run: publishes its interrupts under ids that are new to the thread. */
export async function endForeign(
  run: ForeignRun,
  output: ForeignOutput,
  {
    event,
    isDraft,
    failed,
    decided,
  }: {
    readonly event: FinishedEvent;
    readonly isDraft: boolean;
    /** Its interrupts, after the policies of the host. */
    readonly decided: DecidedInterrupts;
    /** The answered interrupts whose calls failed. */
    readonly failed: ReadonlySet<string>;
  },
): Promise<void> {
  const { input, session, newId } = run;
  const { threadId, runId } = input;
  const { answers } = decided;
  const asked = decided.asked.map(({ interrupt }) => interrupt);
  if (asked.length === 0) {
    const { interrupt: _none, ...rest } = event as FinishedEvent & { interrupt?: unknown };
    output.put({ ...rest, threadId, runId });
    const outcome = event.outcome?.type === 'cancelled' ? 'cancelled' : 'success';
    await session.end({ outcome, turn: null, failed, ...output.kept() });
    return;
  }
  await assertForeignSchemas(asked);
  await run.assertRoom(asked.length);
  const used = await run.usedIds(asked.map(({ id }) => usableId(id)));
  const timed = withExpiry(asked, session.now(), run.context.interruptTtlMs);
  const { interrupts, names } = publishInterrupts(timed, { isUsed: (id) => used.has(id), newId });
  putSnapshots(run, output);
  output.put({ ...event, threadId, runId, outcome: { type: 'interrupt', interrupts } });
  await session.end({
    outcome: 'interrupt',
    failed,
    turn: writeForeignTurn({
      names,
      ...(isDraft ? { dialect: 'draft' } : {}),
      ...(answers.length === 0 ? {} : { decided: answers }),
    }),
    raised: await Promise.all(
      interrupts.map(async (interrupt, index) => ({
        interrupt,
        foreign: true as const,
        ...defined({
          approvers: decided.asked[index]?.approvers,
          onExpire: await expiryOf(interrupt, run.onExpire),
        }),
      })),
    ),
    batch: newId(),
    vault: run.vault,
    ...output.kept(),
  });
}

/**
 * Shows the state and the messages before an interrupt. Skips the state if the last event showed it. Skips the messages if the
 * client has them: it sent the answers, and the run wrote no message of the assistant.
 */
function putSnapshots({ claim, conversation }: ForeignRun, output: ForeignOutput): void {
  const { applier } = output;
  if (!output.isStateShown) output.put({ type: EventType.STATE_SNAPSHOT, snapshot: applier.state });
  const last = applier.messages.findLast(({ role }) => role === 'assistant');
  const isShown = last === undefined || conversation.some(({ id }) => id === last.id);
  if (claim.answers.length > 0 && isShown) return;
  output.put({ type: EventType.MESSAGES_SNAPSHOT, messages: [...applier.messages] });
}

/** The interrupts, with the host's time limit where the agent set none. */
function withExpiry(
  interrupts: readonly Interrupt[],
  now: number,
  ttlMs: number | undefined,
): readonly Interrupt[] {
  if (ttlMs === undefined) return interrupts;
  const expiresAt = new Date(now + ttlMs).toISOString();
  return interrupts.map((interrupt) => ({ expiresAt, ...interrupt }));
}

/** The action when an interrupt expires: that of the host, or `cancel` for an interrupt that it does not fit. */
async function expiryOf(interrupt: Interrupt, onExpire: OnExpire | undefined): Promise<OnExpire | undefined> {
  const { responseSchema } = interrupt;
  const isApproval = isApprovable(interrupt);
  if (onExpire === 'deny') return isApproval ? 'deny' : 'cancel';
  if (typeof onExpire === 'object' && isApproval) return 'cancel';
  if (typeof onExpire !== 'object' || responseSchema === undefined) return onExpire;
  const schema = await compileForeignSchema(responseSchema);
  const fits = !hasSecrets(responseSchema) && schema.validate(onExpire.answer).length === 0;
  return fits ? onExpire : 'cancel';
}

/** Throws `INPUT_INVALID` for an unusable response schema. */
export async function assertForeignSchemas(interrupts: readonly Interrupt[]): Promise<void> {
  for (const { responseSchema } of interrupts) {
    if (responseSchema !== undefined) await compileForeignSchema(responseSchema);
  }
}

/**
 * Ends a run with the interrupt that asks a person whether to hand the answers over again: the agent may have received them,
 * or not. Without answers, it asks about the message of the run.
 */
export async function askWhetherHandedOver(
  run: ForeignRun,
  output: ForeignOutput,
  entries: readonly ResumeEntry[],
): Promise<void> {
  const { agent, input, session, newId, claim } = run;
  const { inDoubt: _earlier, ...turn } = readForeignTurn(claim.turn);
  const name = agent.name ?? agent.id;
  const isMessage = entries.length === 0;
  const actions = isMessage ? ['retry', 'abort'] : actionsOf(run);
  const interrupt: Interrupt = {
    id: newId(),
    reason: InterruptReason.ErrorRecovery,
    message: isMessage
      ? `It is unknown whether ${name} got the last message. Send it again?`
      : `It is unknown whether ${name} got the answer. Did it?`,
    responseSchema: { ...recoveryResponseSchema({ actions }) },
    metadata: { code: 'RUN_LOST', interruptIds: entries.map(({ interruptId }) => interruptId) },
  };
  // The people who gave the answer decide about it.
  const before = claim.claimed.find((record) => record.approvers !== undefined);
  const approvers = before?.approvers ?? (await run.approversOf(interrupt));
  const { threadId, runId } = input;
  putSnapshots(run, output);
  output.put({
    type: EventType.RUN_FINISHED,
    threadId,
    runId,
    outcome: { type: 'interrupt', interrupts: [interrupt] },
  });
  await session.end({
    outcome: 'interrupt',
    turn: writeForeignTurn({ ...turn, inDoubt: entries }),
    raised: [{ interrupt, ...defined({ approvers }) }],
    batch: newId(),
    vault: run.vault,
    ...output.kept(),
  });
}

/** The decisions about answers in doubt. */
function actionsOf({ agent, claim }: ForeignRun): readonly string[] {
  const canRetry = claim.claimed.every(({ interrupt }) => canSendAgain(agent, interrupt));
  return [
    'finished',
    ...(canRetry ? ['retry'] : []),
    ...(agent.takesDecision === true ? ['skip'] : []),
    'abort',
  ];
}

/** Whether the answer to an interrupt can be sent again; for a decision about answers in doubt, what that decision offered. */
function canSendAgain(agent: HostAgent, interrupt: Interrupt): boolean {
  if (interrupt.reason !== InterruptReason.ErrorRecovery) return agent.canRetry?.(interrupt) ?? true;
  const properties = interrupt.responseSchema?.['properties'];
  const action = isRecord(properties) ? properties['action'] : undefined;
  return isRecord(action) && Array.isArray(action['enum']) && action['enum'].includes('retry');
}

/** Ends a run that has nothing left to send. */
export async function finishQuietly(run: ForeignRun): Promise<void> {
  const output = createOutput(run);
  const { threadId, runId } = run.input;
  output.put({ type: EventType.RUN_FINISHED, threadId, runId, outcome: { type: 'success' } });
  await run.session.end({ outcome: 'success', turn: null, ...output.kept() });
}
