import type { Message, Part } from '@a2a-js/sdk';
import { cancel, isApprovable } from '../../content/interrupts/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { defined, newId } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import type { Principal, ThreadKey } from '../../ledger/index.ts';
import { closeLostRun, openInterrupts, operatorAccess } from '../../ledger/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { approvalOf } from '../../protocol/index.ts';
import type { GeneratingAgent, StoredOptions } from '../../runs/index.ts';
import { runStored } from '../../runs/index.ts';
import { callPart, isFromAdk } from '../dialects/adk-dialect.ts';
import { requestIdOf } from './read-answers.ts';
import { requestParts } from './request-input.ts';

/** The options of a run, and the thread and the principal of a caller. */
export interface CancelOptions extends Omit<StoredOptions, 'access' | 'runId' | 'signal' | 'newId'> {
  readonly key: ThreadKey;
  readonly principal: Principal;
}

/** Closes the run of a dead process, cancels the open interrupts of a thread and runs the agent to its end. */
export async function cancelInterrupts(
  agent: Agent | GeneratingAgent,
  { key, principal, ...options }: CancelOptions,
): Promise<void> {
  const { store } = options;
  const access = operatorAccess(store, key, principal);
  await closeLostRun(access);
  const open = await openInterrupts(access);
  if (open.length === 0) return;
  const run = runStored(agent, {
    ...options,
    access,
    runId: newId(),
    resume: open.map(({ interrupt }) => cancel(interrupt)),
    signal: new AbortController().signal,
    newId,
  });
  for await (const _event of run) {
    // The task is over: its events have no reader.
  }
  await run.response;
}

/**
 * The parts of a status that asks for the answers to interrupts. `problem`, the reason why the last answer was rejected, comes first in
 * the text. A client of ADK also gets a function call for each interrupt.
 */
export async function askParts(
  interrupts: readonly Interrupt[],
  { userMessage, problem }: { readonly userMessage: Message; readonly problem?: string },
): Promise<Part[]> {
  const requests = await Promise.all(
    interrupts.map(async (interrupt, index) => ({
      requestId: await requestIdOf(interrupt.id),
      text: [
        ...(index === 0 && problem !== undefined ? [problem] : []),
        interrupt.message ?? 'Please answer.',
      ].join('\n'),
      ...defined({ title: interrupt.message, schema: interrupt.responseSchema }),
      ...callOf(interrupt),
    })),
  );
  const calls = interrupts.map((interrupt, index) =>
    callPart({
      requestId: requests[index]?.requestId ?? '',
      text: interrupt.message ?? 'Please answer.',
      ...defined({
        responseSchema: interrupt.responseSchema,
        call: isApprovable(interrupt) ? approvedCall(interrupt) : undefined,
      }),
    }),
  );
  return [...requestParts(requests), ...(isFromAdk(userMessage) ? calls : [])];
}

/** The call of an approval, for the person who decides. */
function callOf(interrupt: Interrupt): { metadata?: JsonObject } {
  const call = approvedCall(interrupt);
  // The arguments are JSON, because they came from a model.
  return call === undefined ? {} : { metadata: { ...call } as unknown as JsonObject };
}

/** The call that an interrupt asks to approve. Agents behind an adapter name it in `toolName` and `toolInput`. */
function approvedCall(interrupt: Interrupt): ReturnType<typeof approvalOf> {
  const { toolName, toolInput } = interrupt.metadata ?? {};
  const named =
    isApprovable(interrupt) && typeof toolName === 'string'
      ? { functionName: toolName, functionArguments: toolInput }
      : undefined;
  return approvalOf(interrupt) ?? named;
}
