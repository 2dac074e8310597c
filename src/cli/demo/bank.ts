import type { JsonValue } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';

/** An order to the bank. A call that ran twice orders twice. */
interface Transfer {
  readonly transferId: string;
  readonly toAccountId: string;
  /** In cents. */
  readonly amount: number;
}

/** What the bank did with a transfer. */
export interface BankedTransfer {
  readonly transferId: string;
  /** False when the balance did not cover the amount: no money moved. */
  readonly isSent: boolean;
  /** The balance right after this transfer, in cents. */
  readonly balance: number;
}

export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

/** The side effects of the demo, kept in the same database. */
export interface Bank {
  transfer(toAccountId: string, amount: number): Promise<BankedTransfer>;
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
  /** The transfers in the order of the log, which decides about two at the same time. */
  const banked = async (): Promise<readonly BankedTransfer[]> => {
    // Only `transfer` writes here.
    const transfers = (await all('transfers')) as readonly Transfer[];
    let balance = OPENING_BALANCE;
    return transfers.map(({ transferId, amount }) => {
      const isSent = amount <= balance;
      if (isSent) balance -= amount;
      return { transferId, isSent, balance };
    });
  };
  return {
    async transfer(toAccountId, amount) {
      const transferId = newId();
      const order: Transfer = { transferId, toAccountId, amount };
      await add('transfers', order);
      const own = (await banked()).find((transfer) => transfer.transferId === transferId);
      if (own === undefined) throw new Error(`The bank lost the transfer ${transferId}.`);
      return own;
    },
    balance: async () => (await banked()).at(-1)?.balance ?? OPENING_BALANCE,
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
