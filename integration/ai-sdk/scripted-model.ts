/** A language model of the AI SDK, in the form of versions 6 and 7, that follows the script of the world. */
import { nextTurn } from '../world.ts';

interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** What the model says next, by the newest user message and the results. */
function partsFor(prompt: readonly PromptMessage[]): object[] {
  const lastUser = prompt.findLastIndex(({ role }) => role === 'user');
  const resultsIn = (messages: readonly PromptMessage[]) =>
    messages
      .flatMap(({ role, content }) => (role === 'tool' ? (content as readonly object[]) : []))
      .map((result) => JSON.stringify((result as { output: unknown }).output));
  const turn = nextTurn(prompt[lastUser]?.content, resultsIn(prompt.slice(lastUser + 1)), resultsIn(prompt));
  const start = { type: 'stream-start', warnings: [] };
  const finish = (unified: string) => ({
    type: 'finish',
    usage: USAGE,
    finishReason: { unified, raw: unified },
  });
  if ('text' in turn) {
    const id = '1';
    const said = [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: turn.text },
      { type: 'text-end', id },
    ];
    return [start, ...said, finish('stop')];
  }
  const calls = turn.calls.map(({ name, args }, index) => ({
    type: 'tool-call',
    toolCallId: `call-${prompt.length}-${index}-${String(args['amount'] ?? name)}`,
    toolName: name,
    input: JSON.stringify(args),
  }));
  return [start, ...calls, finish('tool-calls')];
}

export const scriptedModel = {
  specificationVersion: 'v3',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('The model only streams.')),
  doStream: ({ prompt }: { readonly prompt: readonly PromptMessage[] }) => {
    const parts = partsFor(prompt);
    const stream = new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    return Promise.resolve({ stream });
  },
};
