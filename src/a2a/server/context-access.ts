import { TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { ServerCallContext, TaskStore } from '@a2a-js/sdk/server';
import { HoldpointError } from '../../core/index.ts';
import type { Access, Gate } from '../../ledger/index.ts';
import { openQuestions, operatorAccess } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import { principalOf } from './principal.ts';

/** A message's place: its context, and whether it is for a task that exists. */
export interface MessageContext {
  readonly context: ServerCallContext;
  readonly contextId: string;
  readonly hasTask: boolean;
}

/** The rights of callers in the contexts of one agent. A context is a thread of that agent, and of no other. */
export interface ContextAccess {
  mayRead(contextId: string, context: ServerCallContext): Promise<boolean>;
  /**
   * The right to run the agent, or to answer what the task of the message waits for. Throws `FORBIDDEN`, `ANSWER_FORBIDDEN` or
   * `INTERRUPT_UNKNOWN`.
   */
  forMessage(message: MessageContext): Promise<Access<'run' | 'answer'>>;
  /** Throws an error of A2A unless the caller may send a message. */
  assertMessage(message: MessageContext): Promise<void>;
  /** Throws an error of A2A unless the caller may cancel. */
  assertCancel(contextId: string, context: ServerCallContext): Promise<void>;
}

export function contextAccess(gate: Gate, store: Store, agent: string): ContextAccess {
  const mayRead: ContextAccess['mayRead'] = async (contextId, context) => {
    try {
      await gate.checkThread(principalOf(context), 'read', { thread: contextId, agent });
      return true;
    } catch (error) {
      if (HoldpointError.is(error, 'FORBIDDEN') || HoldpointError.is(error, 'THREAD_UNKNOWN')) return false;
      throw error;
    }
  };
  const forMessage: ContextAccess['forMessage'] = async ({ context, contextId, hasTask }) => {
    const principal = principalOf(context);
    const place = { thread: contextId, agent };
    const key = { scope: principal.scope, thread: contextId };
    const open = hasTask ? await openQuestions(operatorAccess(store, key)) : [];
    if (open.length === 0) return gate.checkThread(principal, 'run', place);
    const interruptIds = open.map(({ interrupt }) => interrupt.id);
    return gate.checkAnswers(principal, { ...place, interruptIds });
  };
  return {
    mayRead,
    forMessage,
    async assertMessage(message) {
      const { contextId, context } = message;
      if (!(await mayRead(contextId, context)))
        throw new TaskNotFoundError(`Context not found: ${contextId}`);
      await forMessage(message).catch(refuse);
    },
    async assertCancel(contextId, context) {
      await gate.checkThread(principalOf(context), 'cancel', { thread: contextId, agent }).catch(refuse);
    },
  };
}

/** A2A has no error of its own for a caller who may not do something. */
function refuse(error: unknown): never {
  if (HoldpointError.is(error, 'FORBIDDEN') || HoldpointError.is(error, 'ANSWER_FORBIDDEN'))
    throw new UnsupportedOperationError(`${error.code}: the caller may not do this.`);
  throw error;
}

/** Tasks as a caller may see them: those in contexts that the caller may not read do not exist. */
export function readableTasks(tasks: TaskStore, contexts: ContextAccess): TaskStore {
  return {
    save: (task, context) => tasks.save(task, context),
    async load(taskId, context) {
      const task = await tasks.load(taskId, context);
      return task !== undefined && (await contexts.mayRead(task.contextId, context)) ? task : undefined;
    },
    async list(request, context) {
      const page = await tasks.list(request, context);
      const readable = await Promise.all(
        page.tasks.map(({ contextId }) => contexts.mayRead(contextId, context)),
      );
      const shown = page.tasks.filter((_task, index) => readable[index]);
      return { ...page, tasks: shown, totalSize: page.totalSize - (page.tasks.length - shown.length) };
    },
  };
}

/** Events of a task, until their reader may no longer read them; that is asked every `everyMs`. */
export async function* whileReadable<Event>(
  events: AsyncIterable<Event>,
  mayRead: () => Promise<boolean>,
  everyMs: number,
): AsyncGenerator<Event, void, undefined> {
  const iterator = events[Symbol.asyncIterator]();
  let end: () => void = () => undefined;
  const refused = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
  });
  const ask = async () => {
    if (!(await mayRead().catch(() => false))) end();
  };
  const timer = everyMs <= 0 ? undefined : setInterval(() => void ask(), everyMs);
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), refused]);
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    clearInterval(timer);
    // Not waited for: it may be in the middle of something that never ends.
    iterator.return?.().then(undefined, () => undefined);
  }
}
