import type { ExecutionEventBus } from '@a2a-js/sdk/server';
import { cancel } from '../../content/questions/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { newId } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import { openQuestions, operatorAccess } from '../../ledger/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { approvalOf } from '../../protocol/index.ts';
import type { GeneratingAgent } from '../../runs/index.ts';
import { runStored } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import { requestIdOf } from './read-answers.ts';
import type { AskingTask } from './request-input.ts';
import { requestInput } from './request-input.ts';

/** Nobody will answer what a thread asks. */
export async function cancelQuestions(
  agent: Agent | GeneratingAgent,
  { store, key, secretKey }: { readonly store: Store; readonly key: ThreadKey; readonly secretKey?: string },
): Promise<void> {
  const access = operatorAccess(store, key, { id: 'a2a', scope: key.scope });
  const open = await openQuestions(access);
  if (open.length === 0) return;
  const run = runStored(agent, {
    store,
    access,
    runId: newId(),
    resume: open.map(({ interrupt }) => cancel(interrupt)),
    signal: new AbortController().signal,
    newId,
    ...(secretKey === undefined ? {} : { secretKey }),
  });
  for await (const _event of run) {
    // What is said to that is heard by nobody: the task is over.
  }
  await run.response;
}

/** Puts the open questions of a thread as `input-required`; what was wrong with the last answer comes first. */
export async function askInput(
  bus: ExecutionEventBus,
  task: AskingTask,
  { interrupts, wrong }: { readonly interrupts: readonly Interrupt[]; readonly wrong?: string },
): Promise<void> {
  const questions = await Promise.all(
    interrupts.map(async (interrupt, index) => ({
      requestId: await requestIdOf(interrupt.id),
      text: [
        ...(index === 0 && wrong !== undefined ? [wrong] : []),
        interrupt.message ?? 'Please answer.',
      ].join('\n'),
      ...(interrupt.message === undefined ? {} : { title: interrupt.message }),
      ...(interrupt.responseSchema === undefined ? {} : { schema: interrupt.responseSchema }),
      ...callOf(interrupt),
    })),
  );
  requestInput(bus, task, questions);
}

/** The call that an approval is for: whoever decides has to see it. */
function callOf(interrupt: Interrupt): { metadata?: JsonObject } {
  const call = approvalOf(interrupt);
  // Details are JSON: they came from a model.
  return call === undefined ? {} : { metadata: { ...call } as unknown as JsonObject };
}
