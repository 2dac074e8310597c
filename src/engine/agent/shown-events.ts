import type { AgentStreamEvent } from '../../protocol/index.ts';

/** What whoever watches a run gets to see: its end only once it is kept. */
export interface ShownEvents {
  write(event: AgentStreamEvent): void;
  /** From here on events wait. */
  hold(): void;
  /** What waited is shown. */
  release(): void;
  /** What waited never was; this is shown instead. */
  replace(event: AgentStreamEvent): void;
}

export function createShownEvents(show: (event: AgentStreamEvent) => void): ShownEvents {
  let held: AgentStreamEvent[] | undefined;
  return {
    write(event) {
      if (held === undefined) show(event);
      else held.push(event);
    },
    hold() {
      held ??= [];
    },
    release() {
      const events = held ?? [];
      held = undefined;
      for (const event of events) show(event);
    },
    replace(event) {
      held = undefined;
      show(event);
    },
  };
}
