import { TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { ServerCallContext, TaskStore, User } from '@a2a-js/sdk/server';
import { HoldpointError } from '../../core/index.ts';
import type { Access, Gate, Principal } from '../../ledger/index.ts';
import { openInterrupts, operatorAccess } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';

/** A caller with its principal, as the user of the SDK. */
export class PrincipalUser implements User {
  readonly principal: Principal;
  /** Whether the caller of a stream is still this principal. */
  readonly isStillCaller: () => Promise<boolean>;

  constructor(principal: Principal, isStillCaller: () => Promise<boolean>) {
    this.principal = principal;
    this.isStillCaller = isStillCaller;
  }

  get isAuthenticated(): boolean {
    return true;
  }

  get userName(): string {
    return this.principal.id;
  }
}

/** Whether the caller of a stream is still the same principal. A user of another server is. */
export async function isStillCaller({ user }: Pick<ServerCallContext, 'user'>): Promise<boolean> {
  return !(user instanceof PrincipalUser) || user.isStillCaller();
}

const readers = new WeakMap<ServerCallContext, AbortController>();

/** The reader of the response to a request; aborted when the reader has left. */
export function readerOf(context: ServerCallContext): AbortController {
  const reader = readers.get(context) ?? new AbortController();
  readers.set(context, reader);
  return reader;
}

const DEFAULT_SCOPE = 'default';

/** The principal of a caller. A user of another server keeps its name and gets the default scope. */
export function principalOf({ user }: Pick<ServerCallContext, 'user'>): Principal {
  if (user instanceof PrincipalUser) return user.principal;
  return { id: user?.userName || 'anonymous', scope: DEFAULT_SCOPE };
}

/** The context of a message, and whether the message is for an existing task. */
export interface MessageContext {
  readonly context: ServerCallContext;
  readonly contextId: string;
  readonly hasTask: boolean;
}

/** Checks what callers may do in the contexts of one agent. A context is a thread of that agent. */
export interface ContextAccess {
  readonly mayRead: (contextId: string, context: ServerCallContext) => Promise<boolean>;
  /**
   * The access to run the agent, or to answer the open interrupts of the task. Throws `FORBIDDEN`, `ANSWER_FORBIDDEN` or
   * `INTERRUPT_UNKNOWN`.
   */
  forMessage(message: MessageContext): Promise<Access<'run' | 'answer'>>;
  /** Throws an A2A error unless the caller may send the message. */
  assertMessage(message: MessageContext): Promise<void>;
  /** The access to cancel tasks of the context. Throws an A2A error unless the caller may. */
  assertCancel(contextId: string, context: ServerCallContext): Promise<Access<'cancel'>>;
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
    const target = { thread: contextId, agent };
    const key = { scope: principal.scope, thread: contextId };
    const open = hasTask ? await openInterrupts(operatorAccess(store, key)) : [];
    if (open.length === 0) return gate.checkThread(principal, 'run', target);
    const interruptIds = open.map(({ interrupt }) => interrupt.id);
    return gate.checkAnswers(principal, { ...target, interruptIds });
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
    assertCancel: (contextId, context) =>
      gate.checkThread(principalOf(context), 'cancel', { thread: contextId, agent }).catch(refuse),
  };
}

/** Rethrows as `UnsupportedOperationError`, because A2A has no error for a missing permission. */
function refuse(error: unknown): never {
  if (HoldpointError.is(error, 'FORBIDDEN') || HoldpointError.is(error, 'ANSWER_FORBIDDEN'))
    throw new UnsupportedOperationError(`${error.code}: ${error.message}`);
  throw error;
}

/** A task store that hides tasks in contexts that the caller may not read. */
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

/** Events of a task, until `mayRead` returns false, which is checked every `everyMs`, or until `gone` aborts. */
export async function* whileReadable<Event>(
  events: AsyncIterable<Event>,
  {
    mayRead,
    everyMs,
    gone,
  }: {
    readonly mayRead: () => Promise<boolean>;
    readonly everyMs: number;
    readonly gone: AbortSignal;
  },
): AsyncGenerator<Event, void, undefined> {
  const iterator = events[Symbol.asyncIterator]();
  let end: () => void = () => undefined;
  const refused = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
  });
  const check = async () => {
    if (!(await mayRead().catch(() => false))) end();
  };
  const timer = everyMs <= 0 ? undefined : setInterval(() => void check(), everyMs);
  // A generator that waits for its source does not learn of `return` before the source goes on.
  gone.addEventListener('abort', end, { once: true });
  if (gone.aborted) end();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), refused]);
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    clearInterval(timer);
    gone.removeEventListener('abort', end);
    // Not awaited: the source may never end.
    iterator.return?.().then(undefined, () => undefined);
  }
}
