import type { ThreadSnapshot } from '../../client/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import type { CardStatus } from '../interrupt/card-status.ts';
import { OPEN } from '../interrupt/card-status.ts';
import type { Card } from './conversation.ts';

/** The card status of each interrupt of one thread, with closed interrupts whose outcome is still shown. */
export interface CardStates {
  get(id: string): CardStatus | undefined;
  /** The interrupt of a status, also of one that is no longer open. */
  interruptOf(id: string): Interrupt | undefined;
  set(interrupt: Interrupt, status: CardStatus): void;
  forget(id: string): void;
  /** Removes the closed interrupts in these states. */
  clear(...closed: readonly ('lost' | 'answered')[]): void;
  cards(thread: Pick<ThreadSnapshot, 'interrupts' | 'staged'>): readonly Card[];
}

const UNSENT = new HoldpointError(
  'RUN_LOST',
  'This page was left before your answer was sent. Retry sends it.',
  { details: { isUnsent: true } },
);

/** Creates the card states of one thread. */
export function createCardStates(): CardStates {
  const states = new Map<string, Card>();
  return {
    get: (id) => states.get(id)?.status,
    interruptOf: (id) => states.get(id)?.interrupt,
    set: (interrupt, status) => states.set(interrupt.id, { interrupt, status }),
    forget: (id) => states.delete(id),
    clear(...closed) {
      for (const [id, { status }] of states)
        if (closed.some((state) => state === status.state)) states.delete(id);
    },
    cards({ interrupts, staged }) {
      const open = new Set(interrupts.map(({ id }) => id));
      const over = [...states.values()].filter(
        ({ interrupt, status }) =>
          !open.has(interrupt.id) && (status.state === 'lost' || status.state === 'answered'),
      );
      const isStaged = (id: string) => staged.some(({ interruptId }) => interruptId === id);
      // Complete answers are sent at once. If they are still open after a reload, the page was left in between.
      const isUnsent = interrupts.every(({ id }) => isStaged(id) && !states.has(id));
      const cards = interrupts.map((interrupt): Card => {
        const known = states.get(interrupt.id)?.status;
        if (known !== undefined) return { interrupt, status: known };
        // An answer that was staged before a reload.
        const entry = staged.find(({ interruptId }) => interruptId === interrupt.id);
        if (entry === undefined) return { interrupt, status: OPEN };
        const status: CardStatus = isUnsent
          ? { state: 'failed', entry, error: UNSENT }
          : { state: 'staged', entry };
        return { interrupt, status };
      });
      return [...over, ...cards];
    },
  };
}
