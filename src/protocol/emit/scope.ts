import type { IdGenerator } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';

/** Why open streams are being closed. */
type CloseReason = 'end' | 'interrupt';

/** The open streams of one agent or subagent in a run. */
export interface Scope {
  readonly write: (event: AgentStreamEvent) => void;
  readonly newId: IdGenerator;
  /** The member of an event that names its subagent. */
  readonly owner: { readonly subagentRunId?: string };
  /**
   * Registers an open stream; returns a function that closes it once. `inner` is the scope within it: a step or a
   * subagent stays open when messages are closed.
   */
  opened(close: (reason: CloseReason) => void, inner?: Pick<Scope, 'closeMessages'>): Closer;
  /** Closes all open streams, newest first. */
  closeAll(reason: CloseReason): void;
  /** Closes the open messages and calls, here and in inner scopes. */
  closeMessages(): void;
}

/** The scope within a stream that has no messages. */
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
