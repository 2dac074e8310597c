import type { JsonValue } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';

/** A transfer. A call that ran twice appears twice. */
export interface Transfer {
  readonly transferId: string;
  readonly toAccountId: string;
  /** In cents. */
  readonly amount: number;
}

export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

/** The side effects of the demo, kept in the same database. */
export interface Bank {
  transfer(toAccountId: string, amount: number): Promise<Transfer>;
  /** In cents. */
  balance(): Promise<number>;
  send(email: Email): Promise<void>;
  outbox(): Promise<readonly Email[]>;
  /** Records an attempt of a call; returns whether there was an earlier one. */
  tried(call: string): Promise<boolean>;
}

const SCOPE = 'holdpoint-demo';
const OPENING_BALANCE = 1_000_000;

export function openBank(store: Store, newId: () => string): Bank {
  const add = (thread: string, item: object) =>
    store.commit({ appends: [{ log: 'events', scope: SCOPE, thread, items: [item as JsonValue] }] });
  const all = async (thread: string): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    for (let after = 0; ;) {
      const items = await store.read({ log: 'events', scope: SCOPE, thread, after });
      found.push(...items.map(({ item }) => item));
      const last = items.at(-1);
      if (last === undefined) return found;
      after = last.sequence;
    }
  };
  return {
    async transfer(toAccountId, amount) {
      const transfer = { transferId: newId(), toAccountId, amount };
      await add('transfers', transfer);
      return transfer;
    },
    async balance() {
      // Only `transfer` writes here.
      const transfers = (await all('transfers')) as readonly Transfer[];
      return transfers.reduce((left, { amount }) => left - amount, OPENING_BALANCE);
    },
    async send(email) {
      await add('outbox', email);
    },
    outbox: async () => (await all('outbox')) as readonly Email[],
    async tried(call) {
      // Only this function writes here.
      const before = (await all('attempts')) as readonly { readonly call: string }[];
      await add('attempts', { call });
      return before.some((attempt) => attempt.call === call);
    },
  };
}
