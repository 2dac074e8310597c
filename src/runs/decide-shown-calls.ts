import type { Approvers } from '../content/interrupts/index.ts';
import { isApprovable } from '../content/interrupts/index.ts';
import { defined, isRecord } from '../core/index.ts';
import { compileForeignSchema } from '../core/schema/index.ts';
import { decideShownCall } from '../engine/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import type { ForeignRun } from './foreign-output.ts';

/** An interrupt that people are asked, and the people. */
export interface AskedInterrupt {
  readonly interrupt: Interrupt;
  readonly approvers?: Approvers;
}

/** The interrupts of an agent after the policies and the mode of its host. */
export interface DecidedInterrupts {
  readonly asked: readonly AskedInterrupt[];
  /** The answers of the host: it denies or approves these calls itself. */
  readonly answers: readonly ResumeEntry[];
}

/**
 * Decides about each call that an agent asks approval for. `answered`: interrupts that the host has answered in this run; an agent
 * that asks one of them again does not take the answer, so people are asked.
 */
export async function decideShownCalls(
  run: ForeignRun,
  interrupts: readonly Interrupt[],
  answered: ReadonlySet<string>,
): Promise<DecidedInterrupts> {
  const asked: AskedInterrupt[] = [];
  const answers: ResumeEntry[] = [];
  for (const interrupt of interrupts) {
    const approvers = await run.approversOf(interrupt);
    const call = callOf(interrupt);
    if (call === undefined) {
      asked.push({ interrupt, ...defined({ approvers }) });
      continue;
    }
    const { threadId } = run.input;
    const decided = await decideShownCall({ ...call, approvers }, threadId, run.context);
    if (decided.type !== 'ask' && !answered.has(interrupt.id)) {
      const entry = decided.type === 'deny' ? denial(interrupt.id, decided.text) : approval(interrupt.id);
      // An approval that the agent does not offer is left to people; a denial always counts.
      if (decided.type === 'deny' || (await fits(entry.payload, interrupt))) {
        answers.push(entry);
        continue;
      }
    }
    const { message, approvers: people = approvers } = decided.type === 'ask' ? decided : {};
    asked.push({
      interrupt: { ...interrupt, ...defined({ message }) },
      ...defined({ approvers: people }),
    });
  }
  return { asked, answers };
}

/**
 * The answers of people, in which calls are denied that the policies or the mode forbid now: they may have changed since the call
 * was asked, and do not allow every edit. `denied`: the ids of their interrupts.
 */
export async function denyForbidden(
  run: ForeignRun,
  entries: readonly ResumeEntry[],
): Promise<{ readonly entries: readonly ResumeEntry[]; readonly denied: readonly string[] }> {
  const denied: string[] = [];
  const checked: ResumeEntry[] = [];
  for (const entry of entries) {
    const { interruptId, status, payload } = entry;
    const record = run.asked.find(({ interrupt }) => interrupt.id === interruptId);
    const call = record === undefined ? undefined : callOf(record.interrupt);
    const isApproval = status === 'resolved' && isRecord(payload) && payload['approved'] === true;
    if (call === undefined || !isApproval) {
      checked.push(entry);
      continue;
    }
    const input = isRecord(payload) && 'editedArgs' in payload ? payload['editedArgs'] : call.input;
    const decided = await decideShownCall(
      { ...call, input, approvers: record?.approvers },
      run.input.threadId,
      run.context,
    );
    if (decided.type === 'deny') denied.push(interruptId);
    checked.push(decided.type === 'deny' ? denial(interruptId, decided.text) : entry);
  }
  return { entries: checked, denied };
}

/** The call that an interrupt asks approval for; undefined for any other interrupt. */
function callOf(interrupt: Interrupt) {
  const { id, toolCallId = id, metadata = {} } = interrupt;
  // The draft of AG-UI has them in the payload.
  const payload = isRecord(metadata['payload']) ? metadata['payload'] : {};
  const { functionName: toolName, functionArguments: input } = { ...payload, ...metadata };
  if (typeof toolName !== 'string' || !isApprovable(interrupt)) return undefined;
  return { toolName, toolCallId, input };
}

function denial(interruptId: string, reason: string): ResumeEntry {
  return { interruptId, status: 'resolved', payload: { approved: false, reason } };
}

function approval(interruptId: string): ResumeEntry {
  return { interruptId, status: 'resolved', payload: { approved: true } };
}

async function fits(payload: unknown, { responseSchema }: Interrupt): Promise<boolean> {
  if (responseSchema === undefined) return true;
  return (await compileForeignSchema(responseSchema)).validate(payload).length === 0;
}
