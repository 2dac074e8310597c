import type { AgentStreamEvent } from '../../protocol/index.ts';

/** The events of a run, for any number of readers; each reads from the first event. */
interface EventLog {
  push(event: AgentStreamEvent): void;
  /** Ends the log: readers end, or throw the failure, after the last event. */
  end(failure?: { readonly error: unknown }): void;
  read(): AsyncGenerator<AgentStreamEvent, void, undefined>;
}

/** Creates an empty event log. */
export function createEventLog(): EventLog {
  const events: AgentStreamEvent[] = [];
  let ended: { readonly failure: { readonly error: unknown } | undefined } | undefined;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  return {
    push(event) {
      events.push(event);
      wake();
    },
    end(failure) {
      ended = { failure };
      wake();
    },
    async *read() {
      for (let at = 0; ;) {
        const event = events[at];
        if (event !== undefined) {
          at += 1;
          yield event;
        } else if (ended === undefined) {
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
          });
        } else if (ended.failure === undefined) {
          return;
        } else {
          throw ended.failure.error;
        }
      }
    },
  };
}
