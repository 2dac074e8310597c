import type { JsonValue } from '../core/index.ts';
import { isRecord } from '../core/index.ts';
import { publicMessages } from '../engine/index.ts';
import type { Access, EndRun, RunChange, RunSession } from '../ledger/index.ts';
import type { AgentStreamEvent, Message } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import { readConversation } from './conversation.ts';

/** Keeps a run's events in the thread's log, with whatever else the run writes; they are shown when they are kept. */
export interface EventLog {
  write(event: AgentStreamEvent): void;
  /** The session, with the events that are due in each of its writes. */
  readonly session: RunSession;
}

export interface EventLogOptions {
  /**
   * Messages of the conversation that the run began with, as others see them, for an agent whose snapshots are that, what the run added to it,
   * and the turn that waits. Absent for one that says what it likes in between: only the last of its snapshots is the
   * conversation as it is kept.
   */
  readonly messages?: number;
  /** Where the log of messages ended then. */
  readonly messageHead: number;
  /** Milliseconds that an event waits for others at most. */
  readonly delayMs?: number;
}

const DELAY_MS = 20;
const THROUGH = 'holdpointThrough';

export function createEventLog(session: RunSession, options: EventLogOptions): EventLog {
  const { delayMs = DELAY_MS } = options;
  let due: AgentStreamEvent[] = [];
  const isOurs = options.messages !== undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let kept = options.messages ?? 0;
  let head = options.messageHead;
  let isFirst = true;
  let isAsked = false;

  const withEvents = <Change extends RunChange>(change: Change): Change => {
    clearTimeout(timer);
    timer = undefined;
    isAsked = false;
    const added = change.messages?.length ?? 0;
    if (isOurs) kept += publicMessages((change.messages ?? []) as unknown as Message[]).length;
    head += added;
    // Only what is said last is the conversation as it is kept; after an earlier one more may have come.
    const last = 'outcome' in change ? due.at(-2) : undefined;
    const events = due.map((event) => {
      if (event.type !== EventType.MESSAGES_SNAPSHOT) return asItem(event);
      // One of the beginning may be written with messages that came after it.
      if (event.messages.length === options.messages) return shortSnapshot(event, [], options.messageHead);
      if (isOurs) return shortSnapshot(event, event.messages.slice(kept), head);
      return event === last ? shortSnapshot(event, [], head) : asItem(event);
    });
    due = [];
    return { ...change, events };
  };
  /** An end that was refused is taken back, and the error that came of it is told instead. */
  const end = async (given: EndRun): Promise<void> => {
    if (given.outcome === 'error' && due.at(-1)?.type !== EventType.RUN_ERROR) {
      const { message = 'The run failed.', code = 'INTERNAL' } = given.error ?? {};
      due.push({ type: EventType.RUN_ERROR, message, code });
    }
    const before = { due, kept, head };
    try {
      await session.end(withEvents(given));
    } catch (error) {
      if (!session.signal.aborted) {
        ({ kept, head } = before);
        due = [...before.due.filter(({ type }) => type !== EventType.RUN_FINISHED), ...due];
      }
      throw error;
    }
  };
  // What comes before the commit is made is in it, unless another write has taken what came before that.
  const dueNow = () => (isAsked ? withEvents({}) : {});
  const flush = () => {
    timer = undefined;
    isAsked = true;
    void session.keep(dueNow);
  };
  return {
    write(event) {
      due.push(event);
      // Whoever began the run learns at once that it has begun.
      if (isFirst) {
        isFirst = false;
        flush();
      } else if (!isAsked) timer ??= setTimeout(flush, delayMs);
    },
    session: {
      lease: session.lease,
      signal: session.signal,
      get cancelledBy() {
        return session.cancelledBy;
      },
      now: () => session.now(),
      keep: (change) => session.keep(withEvents(typeof change === 'function' ? change() : change)),
      end,
      assertHeld: () => session.assertHeld(),
      refresh: () => session.refresh(),
      abandon() {
        clearTimeout(timer);
        session.abandon();
      },
      handOver() {
        clearTimeout(timer);
        return session.handOver();
      },
    },
  };
}

function asItem(event: object): JsonValue {
  return event as unknown as JsonValue;
}

/** The whole of the messages is not written again: only what is not in the log of messages, and where that log ends. */
function shortSnapshot(event: AgentStreamEvent, tail: readonly Message[], head: number): JsonValue {
  return asItem({ ...event, messages: tail, [THROUGH]: head });
}

/** An event of the log as it was made; a promise only where there is more to read for it. */
export function fromLogItem(
  item: JsonValue,
  access: Access<'read' | 'run' | 'answer'>,
): AgentStreamEvent | Promise<AgentStreamEvent> {
  // Written by the log above.
  const event = item as unknown as AgentStreamEvent;
  return event.type === EventType.MESSAGES_SNAPSHOT ? wholeSnapshot(event, item, access) : event;
}

async function wholeSnapshot(
  event: Extract<AgentStreamEvent, { type: EventType.MESSAGES_SNAPSHOT }>,
  item: JsonValue,
  access: Access<'read' | 'run' | 'answer'>,
): Promise<AgentStreamEvent> {
  if (!isRecord(item) || typeof item[THROUGH] !== 'number') return event;
  const messages: Message[] = await readConversation(access, { through: item[THROUGH] });
  const { [THROUGH]: _through, ...rest } = item;
  return {
    ...rest,
    messages: [...publicMessages(messages), ...event.messages],
  } as unknown as AgentStreamEvent;
}
