import { publicMessages } from '../engine/index.ts';
import type { Access, InterruptRecord, ThreadRecord } from '../ledger/index.ts';
import { openQuestions, readThread } from '../ledger/index.ts';
import type { AgentStreamEvent, Message } from '../protocol/index.ts';
import { createEmitter } from '../protocol/index.ts';
import { readConversation } from './conversation.ts';

/** A thread as anybody may see it who may see it. */
export interface ThreadAsIs {
  readonly thread: ThreadRecord | undefined;
  readonly messages: readonly Message[];
  readonly state: unknown;
  /** Questions that nobody has answered. */
  readonly open: readonly InterruptRecord[];
}

/** Everything of one moment: that of the thread's own row, which changes with all that belongs to it. */
export async function readThreadAsIs(access: Access<'read' | 'run'>): Promise<ThreadAsIs> {
  const found = await readThread(access);
  const thread = found?.pruned === undefined ? found : undefined;
  if (thread === undefined) return { thread, messages: [], state: {}, open: [] };
  const [conversation, open] = await Promise.all([
    readConversation(access, { through: thread.logs.messages }),
    openQuestions(access, thread),
  ]);
  const turn = openTurnOf(thread);
  // Written by `toLog`: messages that came with answers and follow the turn.
  const waiting = (thread.input ?? []) as unknown as readonly Message[];
  const messages = publicMessages(turn === undefined ? conversation : [...conversation, turn, ...waiting]);
  return { thread, messages, state: thread.state, open };
}

/** The message of a turn that waits or is not finished, for an agent of ours. */
function openTurnOf(thread: ThreadRecord | undefined): Message | undefined {
  const turn = thread?.turn;
  return typeof turn === 'object' && turn !== null && 'role' in turn
    ? (turn as unknown as Message)
    : undefined;
}

/** The thread as a run that does nothing: state, messages, and the open questions as its outcome. */
export function asIsEvents(
  ids: { readonly threadId: string; readonly runId: string },
  { messages, state, open }: Pick<ThreadAsIs, 'messages' | 'state' | 'open'>,
): AgentStreamEvent[] {
  const events: AgentStreamEvent[] = [];
  const emitter = createEmitter({ ...ids, write: (event) => events.push(event) });
  emitter.start();
  if (open.length > 0) {
    emitter.interrupt(
      open.map(({ interrupt }) => interrupt),
      { state, messages },
    );
    return events;
  }
  emitter.state(state);
  emitter.messages(messages);
  emitter.finish();
  return events;
}
