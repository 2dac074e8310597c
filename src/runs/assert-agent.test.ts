import { describe, expect, it } from 'vitest';
import { assertAgent } from './assert-agent.ts';

const noop = () => undefined;

describe('assertAgent', () => {
  it.each<[string, unknown, string]>([
    [
      'a compiled graph',
      { lg_is_pregel: true, stream: noop },
      'is a LangGraph graph: import { fromLangGraph }',
    ],
    ['an agent of LangChain', { graph: { lg_is_pregel: true } }, "from 'holdpoint/langgraph'"],
    ['a Mastra agent', { approveToolCall: noop, stream: noop }, "{ fromMastra } from 'holdpoint/mastra'"],
    ['a Mastra workflow', { createRun: noop, steps: {} }, 'is a workflow of Mastra: import { fromMastra }'],
    ['an AI SDK agent', { version: 'agent-v1', stream: noop }, "{ fromAiSdkAgent } from 'holdpoint/ai-sdk'"],
    [
      'an OpenAI agent',
      { asTool: noop, handoffs: [] },
      "{ fromOpenAiAgents } from 'holdpoint/openai-agents'",
    ],
    [
      'Genkit',
      { generateStream: noop, defineTool: noop, run: noop },
      "{ fromGenkit } from 'holdpoint/genkit'",
    ],
    ['an address', 'https://example.com', "{ fromAgUi } from 'holdpoint/ag-ui'"],
    ['a URL', new URL('https://example.com'), "{ fromAgUi } from 'holdpoint/ag-ui'"],
    ['an object without run', { id: 'x' }, 'The agent support has no function run(input, context)'],
    ['null', null, 'is not an agent but null.'],
  ])('rejects %s and says what to do', (_name, given, sentence) => {
    expect(() => assertAgent(given, 'support')).toThrow(sentence);
  });

  it('accepts a function and an object with run', () => {
    expect(() => assertAgent(noop, 'support')).not.toThrow();
    expect(() => assertAgent({ run: noop, version: '1.0' }, undefined)).not.toThrow();
  });
});
