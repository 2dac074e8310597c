/**
 * The scenario of every contender, with the same words: a person asks for a transfer, the model calls the tool, the call waits, a person
 * approves, the tool runs, the model replies. Each transfer goes to an account of its own, so that the runs of the tool can be
 * counted for each cycle.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export const TOOL = 'transferMoney';
export const DESCRIPTION = 'Transfers money between accounts.';
export const OUTPUT = { status: 'COMPLETED', transferId: 'T-1' };
export const FINAL_TEXT = 'The transfer is done.';
export const TOKENS = { input: 120, output: 30 };

/** The token counts of AI SDK models. */
export const AI_SDK_USAGE = {
  inputTokens: { total: TOKENS.input, noCache: TOKENS.input, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: TOKENS.output, text: TOKENS.output, reasoning: undefined },
};

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

export function promptFor(account) {
  return `Transfer $1000 to account ${account}, please.`;
}

/** The input that the model calls the tool with. */
export function inputFor(prompt) {
  return { toAccountId: /account (\w+),/.exec(prompt)[1], amount: 100_000 };
}

/** An id that is used once in a thread. */
export function callIdFor(prompt) {
  return `call-${inputFor(prompt).toAccountId}`;
}

/**
 * Counts the runs of the tool for each account, and the messages that the model got last. With `effects`, a file, each run is also a
 * line there, which a crash does not lose.
 */
export function createWork(effects) {
  const times = new Map();
  let seen = 0;
  return {
    run({ toAccountId }) {
      times.set(toAccountId, (times.get(toAccountId) ?? 0) + 1);
      if (effects !== undefined) appendFileSync(effects, `${toAccountId}\n`);
      return OUTPUT;
    },
    timesFor(account) {
      if (effects === undefined) return times.get(account) ?? 0;
      const lines = existsSync(effects) ? readFileSync(effects, 'utf8').split('\n') : [];
      return lines.filter((line) => line === account).length;
    },
    saw(messages) {
      seen = messages;
    },
    get seen() {
      return seen;
    },
    forget: (account) => times.delete(account),
    /** The accounts whose tool did not run exactly once, and the number of all. Starts the count again. */
    takeCounts() {
      const wrong = [...times].filter(([, count]) => count !== 1).map(([account]) => account);
      const all = times.size;
      times.clear();
      return { all, wrong };
    },
  };
}

/** The parts that an AI SDK model streams for a prompt. */
export function aiSdkParts(prompt) {
  const last = prompt.at(-1);
  const finish = (unified) => ({
    type: 'finish',
    usage: AI_SDK_USAGE,
    finishReason: { unified, raw: undefined },
  });
  const start = { type: 'stream-start', warnings: [] };
  if (last.role === 'tool') {
    return [
      start,
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: FINAL_TEXT },
      { type: 'text-end', id: '1' },
      finish('stop'),
    ];
  }
  const { text } = last.content.at(-1);
  const input = JSON.stringify(inputFor(text));
  return [
    start,
    { type: 'tool-call', toolCallId: callIdFor(text), toolName: TOOL, input },
    finish('tool-calls'),
  ];
}

/** A model for AI SDK and Mastra, written by hand: their mock models keep every request, which would cost memory. */
export function aiSdkModel(work) {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'mock',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      work.saw(prompt.length);
      const parts = aiSdkParts(prompt);
      const content = parts.flatMap((part) => {
        if (part.type === 'tool-call') return [part];
        return part.type === 'text-delta' ? [{ type: 'text', text: part.delta }] : [];
      });
      return { content, finishReason: parts.at(-1).finishReason, usage: AI_SDK_USAGE, warnings: [] };
    },
    async doStream({ prompt }) {
      work.saw(prompt.length);
      return { stream: ReadableStream.from(aiSdkParts(prompt)) };
    },
  };
}
