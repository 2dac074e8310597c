/** The mock model of AI SDK and Mastra, which take the same interface. */
import { nextTurn } from '../world.mjs';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

export const model = {
  specificationVersion: 'v4',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  async doGenerate({ prompt }) {
    const lastUser = prompt.findLastIndex(({ role }) => role === 'user');
    const results = prompt
      .slice(lastUser + 1)
      .flatMap(({ role, content }) => (role === 'tool' ? content : []))
      .map(({ output }) => JSON.stringify(output.value));
    const { text, name, args } = nextTurn(prompt[lastUser].content.at(-1).text, results);
    const content =
      text === undefined
        ? {
            type: 'tool-call',
            toolCallId: `call-${prompt.length}`,
            toolName: name,
            input: JSON.stringify(args),
          }
        : { type: 'text', text };
    const finishReason = { unified: text === undefined ? 'tool-calls' : 'stop', raw: undefined };
    return { content: [content], finishReason, usage, warnings: [] };
  },
  doStream: () => Promise.reject(new Error('The probes do not stream.')),
};
