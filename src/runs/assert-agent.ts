import { HoldpointError, isRecord, kindOf } from '../core/index.ts';

/** Agents of other frameworks, by a member that only they have, and the function that adapts each. */
const ADAPTERS: readonly {
  readonly what: string;
  readonly adapter: string;
  readonly entry: string;
  readonly matches: (given: Readonly<Record<string, unknown>>) => boolean;
}[] = [
  {
    what: 'a LangGraph graph',
    adapter: 'fromLangGraph',
    entry: 'langgraph',
    matches: ({ lg_is_pregel, graph }) =>
      lg_is_pregel === true || (isRecord(graph) && graph['lg_is_pregel'] === true),
  },
  {
    what: 'an agent of Mastra',
    adapter: 'fromMastra',
    entry: 'mastra',
    matches: ({ approveToolCall }) => typeof approveToolCall === 'function',
  },
  {
    what: 'a workflow of Mastra',
    adapter: 'fromMastra',
    entry: 'mastra',
    matches: ({ createRun }) => typeof createRun === 'function',
  },
  {
    what: 'an agent of the AI SDK',
    adapter: 'fromAiSdkAgent',
    entry: 'ai-sdk',
    matches: ({ version }) => typeof version === 'string' && version.startsWith('agent-v'),
  },
  {
    what: 'an agent of the OpenAI Agents SDK',
    adapter: 'fromOpenAiAgents',
    entry: 'openai-agents',
    matches: ({ asTool, handoffs }) => typeof asTool === 'function' && Array.isArray(handoffs),
  },
  {
    what: 'a Genkit instance',
    adapter: 'fromGenkit',
    entry: 'genkit',
    matches: ({ generateStream, defineTool }) =>
      typeof generateStream === 'function' && typeof defineTool === 'function',
  },
];

/** Throws `INPUT_INVALID` for a value that is not an agent; the sentence names the adapter of a known framework. */
export function assertAgent(given: unknown, name: string | undefined): void {
  const subject = name === undefined ? 'An agent of the host' : `The agent ${name}`;
  const reject = (sentence: string): never => {
    throw new HoldpointError('INPUT_INVALID', `${subject} ${sentence}`);
  };
  const use = (adapter: string, entry: string) =>
    `: import { ${adapter} } from 'holdpoint/${entry}', and pass what ${adapter}() returns.`;
  if (typeof given === 'function') return;
  if (typeof given === 'string' || given instanceof URL) reject(`is an address${use('fromAgUi', 'ag-ui')}`);
  if (!isRecord(given)) return reject(`is not an agent but ${kindOf(given)}.`);
  const known = ADAPTERS.find(({ matches }) => matches(given));
  if (known !== undefined) reject(`is ${known.what}${use(known.adapter, known.entry)}`);
  if (typeof given['run'] !== 'function') reject('has no function run(input, context) that returns events.');
}
