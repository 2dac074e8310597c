/**
 * The scenario of every contender, with the same words: a person asks for a transfer, the model calls the tool, the call waits, a person
 * approves, the tool runs, the model replies.
 */
export const PROMPT = 'Transfer $1000 to account ABC123, please.';
export const TOOL = 'transferMoney';
export const DESCRIPTION = 'Transfers money between accounts.';
export const INPUT = { toAccountId: 'ABC123', amount: 100_000 };
export const OUTPUT = { status: 'COMPLETED', transferId: 'T-1' };
export const FINAL_TEXT = 'The transfer is done: $1000 went to account ABC123.';
export const TOKENS = { input: 120, output: 30 };

/** Messages in an earlier turn: a prompt, a call, its result and a reply. */
export const MESSAGES_PER_TURN = 4;

/** The earlier turns of a conversation, as plain data for each contender to write as its own messages. */
export function earlierTurns(count) {
  return Array.from({ length: count }, (_, index) => ({
    prompt: `Request ${index}: how much is left on account ABC${index}, and since when?`,
    callId: `earlier-call-${index}`,
    input: { toAccountId: `ABC${index}`, amount: index + 1 },
    output: { status: 'COMPLETED', transferId: `T-earlier-${index}` },
    reply: `Reply ${index}: there are ${index * 100} dollars left, and nothing has changed since yesterday.`,
  }));
}

/** Counts the executions of the tool and returns its result. */
export function createWork() {
  let done = 0;
  return {
    run() {
      done += 1;
      return OUTPUT;
    },
    get done() {
      return done;
    },
  };
}
