import type { ExecutionEventBus } from '@a2a-js/sdk/server';
import { cancel } from '../../content/interrupts/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { defined, newId } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import { openInterrupts, operatorAccess } from '../../ledger/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { approvalOf } from '../../protocol/index.ts';
import type { GeneratingAgent } from '../../runs/index.ts';
import { runStored } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import { requestIdOf } from './read-answers.ts';
import type { TaskIds } from './request-input.ts';
import { requestInput } from './request-input.ts';

/** Cancels the open interrupts of a thread and runs the agent to its end. */
export async function cancelInterrupts(
  agent: Agent | GeneratingAgent,
  { store, key, secretKey }: { readonly store: Store; readonly key: ThreadKey; readonly secretKey?: string },
): Promise<void> {
  const access = operatorAccess(store, key, { id: 'a2a', scope: key.scope });
  const open = await openInterrupts(access);
  if (open.length === 0) return;
  const run = runStored(agent, {
    store,
    access,
    runId: newId(),
    resume: open.map(({ interrupt }) => cancel(interrupt)),
    signal: new AbortController().signal,
    newId,
    ...defined({ secretKey }),
  });
  for await (const _event of run) {
    // The task is over: its events have no reader.
  }
  await run.response;
}

/** Publishes interrupts as `input-required`. `problem`, the reason why the last answer was rejected, comes first in the text. */
export async function askInput(
  bus: ExecutionEventBus,
  task: TaskIds,
  { interrupts, problem }: { readonly interrupts: readonly Interrupt[]; readonly problem?: string },
): Promise<void> {
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
  requestInput(bus, task, requests);
}

/** The call of an approval, for the person who decides. */
function callOf(interrupt: Interrupt): { metadata?: JsonObject } {
  const call = approvalOf(interrupt);
  // The arguments are JSON, because they came from a model.
  return call === undefined ? {} : { metadata: { ...call } as unknown as JsonObject };
}
