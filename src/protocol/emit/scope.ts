import type { IdGenerator } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events/index.ts';

/** Why things that are open are being closed. */
export type CloseReason = 'end' | 'interrupt';

/** What one agent, or one subagent, has open in a run. */
export interface Scope {
  readonly write: (event: AgentStreamEvent) => void;
  readonly newId: IdGenerator;
  /** The member of an event that says which subagent it belongs to. */
  readonly owner: { readonly subagentRunId?: string };
  /**
   * Registers something that is open; gives back how to close it, which does nothing the second time.
   * `inner` is the scope within it: a step or a subagent stays open where a message does not.
   */
  opened(close: (reason: CloseReason) => void, inner?: Pick<Scope, 'closeMessages'>): Closer;
  /** Closes what is still open, the newest first. */
  closeAll(reason: CloseReason): void;
  /** Closes the messages and calls that are open, here and in what is within. */
  closeMessages(): void;
}

/** The scope within something that holds no messages of its own. */
export const NO_MESSAGES: Pick<Scope, 'closeMessages'> = { closeMessages: () => undefined };

export interface Closer {
  readonly inner: Pick<Scope, 'closeMessages'> | undefined;
  readonly isOpen: () => boolean;
  readonly close: (reason: CloseReason) => void;
}

export function createScope(options: Pick<Scope, 'write' | 'newId' | 'owner'>): Scope {
  const open = new Set<Closer>();
  return {
    ...options,
    opened(close, inner) {
      const closer: Closer = {
        inner,
        isOpen: () => open.has(closer),
        close: (reason) => {
          if (open.delete(closer)) close(reason);
        },
      };
      open.add(closer);
      return closer;
    },
    closeAll(reason) {
      for (const closer of [...open].toReversed()) closer.close(reason);
    },
    closeMessages() {
      for (const closer of [...open].toReversed()) {
        if (closer.inner === undefined) closer.close('end');
        else closer.inner.closeMessages();
      }
    },
  };
}
