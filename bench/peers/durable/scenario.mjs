import { OUTPUT } from '../scenario.mjs';

/**
 * The same transfer as in the comparison without a store, to an account that no other cycle uses: what a tool did is
 * known for each cycle, also when many are on their way.
 */
export function promptFor(account) {
  return `Transfer $1000 to account ${account}, please.`;
}

/** What the model calls the tool with when it reads that prompt. */
export function inputFor(prompt) {
  return { toAccountId: /account (\w+),/.exec(prompt)[1], amount: 100_000 };
}

/** An id that is used once in a thread. */
export function callIdFor(prompt) {
  return `call-${inputFor(prompt).toAccountId}`;
}

/** Counts how often the tool ran for each account, and knows how many messages the model got last. */
export function createWork() {
  const times = new Map();
  let seen = 0;
  return {
    run({ toAccountId }) {
      times.set(toAccountId, (times.get(toAccountId) ?? 0) + 1);
      return OUTPUT;
    },
    timesFor: (account) => times.get(account) ?? 0,
    saw(messages) {
      seen = messages;
    },
    get seen() {
      return seen;
    },
    forget: (account) => times.delete(account),
  };
}
