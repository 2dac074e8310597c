import { defined, isRecord, jsonOrText } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { approvalInterrupt, decisionOf } from '../approvals.ts';
import type { AdapterOptions, RunWork, Transcript } from '../emit-run.ts';
import type { GivenAnswer } from '../remember-run.ts';
import { rememberingAgent } from '../remember-run.ts';
import type { Media } from '../to-media.ts';
import type { ContentForm } from '../user-content.ts';
import { mediaUrl } from '../user-content.ts';
import type {
  AgentsAgent,
  AgentsItem,
  AgentsStream,
  ApprovalItem,
  OpenAiAgentsSdk,
  RunState,
} from './sdk.ts';

export interface FromOpenAiAgentsOptions extends AdapterOptions {
  /** Options of each `run`, such as `context` and `maxTurns`. */
  readonly run?: object;
}

/** What the thread keeps. */
interface Kept {
  /** The conversation, and the name of the agent that spoke last. */
  readonly history?: readonly unknown[];
  readonly agent?: string | undefined;
  /** A run that waits, or that continues with the next message. */
  readonly state?: string;
}

/**
 * Puts an agent of the OpenAI Agents SDK behind a host. A tool that `needsApproval` is an interrupt. The thread keeps the
 * serialised run state while it waits, and the conversation between runs.
 *
 * @example
 * ```ts
 * // import * as sdk from '@openai/agents';
 * import { createHost } from 'holdpoint/host';
 * import { fromOpenAiAgents } from 'holdpoint/openai-agents';
 *
 * const host = createHost({ agents: { support: fromOpenAiAgents(agent, sdk) }, store });
 * ```
 */
export function fromOpenAiAgents(
  agent: object,
  sdk: OpenAiAgentsSdk,
  options: FromOpenAiAgentsOptions = {},
): Agent {
  const about = { ...options, defaultId: 'openai-agents', form: FORM };
  const { context: ownContext } = (options.run ?? {}) as { readonly context?: unknown };
  /** The context of one run. Approvals are kept in it, so that runs do not share it; they share its value. */
  const runContext = () =>
    new sdk.RunContext((ownContext instanceof sdk.RunContext ? valueOf(ownContext) : ownContext) as never);
  // The SDK's types are declared here only as far as they are used.
  const start = async (from: AgentsAgent, input: unknown, signal: AbortSignal | undefined) => {
    const given = { ...options.run, ...ownRunContext(), stream: true, ...defined({ signal }) };
    return (await sdk.run(from as never, input as never, given as never)) as AgentsStream;
  };
  const ownRunContext = () => (ownContext === undefined ? {} : { context: runContext() });
  const resume = async (text: string) => {
    const state =
      ownContext === undefined
        ? await sdk.RunState.fromString(agent as never, text)
        : // The state has the context as JSON, without its methods.
          await sdk.RunState.fromStringWithContext(agent as never, text, runContext() as never);
    return state as RunState;
  };
  return rememberingAgent(about, async function* ({ data, answers, contents, isOver }, run) {
    const { signal } = run.context;
    let kept: Kept = isRecord(data) ? data : {};
    let stream: AgentsStream | undefined;
    if (kept.state !== undefined) {
      const state = await resume(kept.state);
      for (const answer of answers) decide(state, answer, run);
      if (isOver) return { data: { state: state.toString() }, interrupts: [] };
      stream = await start(agent as AgentsAgent, state, signal);
      yield* writeStream(stream, run, 0);
      kept = toKept(stream);
    }
    const said = contents.map((content) => ({ role: 'user', content }));
    if (said.length > 0 && kept.state === undefined) {
      const from = agentNamed(agent as AgentsAgent, kept.agent);
      stream = await start(from, [...(kept.history ?? []), ...said], signal);
      yield* writeStream(stream, run, 1);
      kept = toKept(stream);
      return { data: kept, interrupts: interruptsOf(stream) };
    }
    return { data: kept, interrupts: stream === undefined ? [] : interruptsOf(stream), isUnsent: true };
  });
}

/** Gives the answer to a call that waits. */
function decide(
  state: RunState,
  { interrupt, entry, output }: GivenAnswer,
  { context, transcript }: RunWork,
): void {
  const { toolCallId = '' } = interrupt;
  const item = state.getInterruptions().find((waiting) => callIdOf(waiting) === toolCallId);
  if (item === undefined) return;
  if (output !== undefined) {
    // The message of a rejection is the output of the call, word for word.
    const message = typeof output === 'string' ? output : JSON.stringify(output);
    transcript.result(toolCallId, message);
    state.reject(item, { message });
    return;
  }
  const { approved, reason } = decisionOf(entry, context);
  if (approved) state.approve(item);
  else state.reject(item, defined({ message: reason }));
}

function toKept({ interruptions, state, history, lastAgent }: AgentsStream): Kept {
  if (interruptions.length > 0) return { state: state.toString() };
  return { history, agent: lastAgent?.name };
}

function interruptsOf({ interruptions }: AgentsStream): readonly Interrupt[] {
  return interruptions.map((item) =>
    approvalInterrupt({
      id: callIdOf(item),
      callId: callIdOf(item),
      name: item.rawItem.name ?? '',
      args: parsed(item.rawItem.arguments),
    }),
  );
}

/** The agent of this name among those that an agent hands over to; else the agent itself. */
function agentNamed(first: AgentsAgent, name: string | undefined): AgentsAgent {
  const found = new Set([first]);
  for (const one of found) {
    if (one.name === name) return one;
    for (const handoff of one.handoffs ?? []) found.add('agent' in handoff ? handoff.agent : handoff);
  }
  return first;
}

function valueOf(context: unknown): unknown {
  return isRecord(context) ? context['context'] : undefined;
}

const FORM: ContentForm<object> = {
  framework: 'The OpenAI Agents SDK',
  provider: 'openai',
  text: (text) => ({ type: 'input_text', text }),
  file: toFilePart,
};

function toFilePart(media: Media): object | undefined {
  const { mediaType, filename, content } = media;
  const [kind, format] = mediaType.split('/');
  if (kind === 'audio')
    return content.type === 'data' ? { type: 'audio', audio: content.data, format } : undefined;
  if (kind === 'video') return undefined;
  const url = mediaUrl(media);
  const id = content.type === 'handle' ? { id: content.handle } : undefined;
  if (kind === 'image') return { type: 'input_image', image: id ?? url };
  const file = id ?? (content.type === 'url' ? { url } : url);
  return { type: 'input_file', file, ...defined({ filename }) };
}

function callIdOf({ rawItem }: ApprovalItem): string {
  return rawItem.callId ?? rawItem.id ?? '';
}

/** Writes what a run streams. `part` keeps the ids of messages apart. */
async function* writeStream(
  stream: AgentsStream,
  { transcript, input: { runId } }: RunWork,
  part: number,
): AsyncGenerator<void, void, undefined> {
  let message = 0;
  let hasText = false;
  for await (const event of stream) {
    const messageId = `${runId}-${part}-${message}`;
    if (event.type === 'raw_model_stream_event') {
      const { type, delta } = event.data;
      if (type === 'output_text_delta' && typeof delta === 'string') {
        transcript.text(messageId, delta);
        hasText = true;
      }
      if (type === 'response_done') {
        message += 1;
      }
    } else if (event.type === 'run_item_stream_event') {
      writeItem(transcript, event, hasText ? undefined : `${messageId}-item`);
      if (event.name === 'message_output_created') hasText = false;
    }
    yield;
  }
  await stream.completed;
}

/** Writes a call, its result, or the text of a message that was not streamed. */
function writeItem(
  transcript: Transcript,
  { name, item }: { readonly name: string; readonly item: AgentsItem },
  messageId: string | undefined,
): void {
  const { rawItem } = item;
  const { callId } = rawItem;
  if (name === 'message_output_created' && messageId !== undefined && Array.isArray(rawItem.content)) {
    for (const part of rawItem.content.filter(isRecord)) {
      if (typeof part['text'] === 'string') transcript.text(messageId, part['text']);
    }
  } else if (name === 'tool_called' && callId !== undefined) {
    transcript.wholeCall({ id: callId, name: rawItem.name ?? '' }, parsed(rawItem.arguments));
  } else if (name === 'tool_output' && callId !== undefined) {
    transcript.result(callId, outputText(item.output ?? rawItem.output));
  }
}

function outputText(output: unknown): unknown {
  return isRecord(output) && output['type'] === 'text' ? output['text'] : output;
}

/** Arguments come as text; text that is no JSON stays text. */
function parsed(text: string | undefined): unknown {
  return text === undefined || text === '' ? {} : jsonOrText(text);
}
