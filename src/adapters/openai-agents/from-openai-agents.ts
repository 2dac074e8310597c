import { defined, isRecord, jsonOrText } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import { approvalInterrupt, decisionOf } from '../approvals.ts';
import type { AdapterOptions, RunWork, Transcript } from '../emit-run.ts';
import { adapterAgent } from '../emit-run.ts';
import { rememberRun } from '../remember-run.ts';
import type { Media } from '../to-media.ts';
import type { ContentForm } from '../user-content.ts';
import { mediaUrl } from '../user-content.ts';
import type { AgentsItem, AgentsStream, ApprovalItem, OpenAiAgentsSdk, RunState } from './sdk.ts';

export interface FromOpenAiAgentsOptions extends AdapterOptions {
  /** Options of each `run`, such as `context` and `maxTurns`. */
  readonly run?: object;
}

/** What the thread keeps: the conversation, or the state of a run that waits. */
interface Kept {
  readonly history?: readonly unknown[];
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
  const start = async (input: unknown, signal: AbortSignal | undefined) => {
    const given = { ...options.run, stream: true, ...defined({ signal }) };
    // The SDK's types are declared here only as far as they are used.
    return (await sdk.run(agent as never, input as never, given as never)) as AgentsStream;
  };
  const work = (run: RunWork) =>
    rememberRun(run, FORM, async function* ({ data, answers, contents }) {
      const { history = [], state }: Kept = isRecord(data) ? data : {};
      let conversation = history;
      let stream: AgentsStream | undefined;
      if (state !== undefined) {
        const resumed = (await sdk.RunState.fromString(agent as never, state)) as RunState;
        const waiting = new Map(resumed.getInterruptions().map((item) => [callIdOf(item), item]));
        for (const { interrupt, entry } of answers) {
          const item = waiting.get(interrupt.toolCallId ?? '');
          if (item === undefined) continue;
          const { approved, reason } = decisionOf(entry, run.context);
          if (approved) resumed.approve(item);
          else resumed.reject(item, defined({ message: reason }));
        }
        stream = await start(resumed, run.context.signal);
        yield* writeStream(stream, run, 0);
        conversation = stream.history;
      }
      if (contents.length > 0 && (stream?.interruptions.length ?? 0) === 0) {
        const said = contents.map((content) => ({ role: 'user', content }));
        stream = await start([...conversation, ...said], run.context.signal);
        yield* writeStream(stream, run, 1);
      }
      if (stream === undefined) return { data, interrupts: [] };
      const interrupts = stream.interruptions.map((item) =>
        approvalInterrupt({
          id: callIdOf(item),
          callId: callIdOf(item),
          name: item.rawItem.name ?? '',
          args: parsed(item.rawItem.arguments),
        }),
      );
      const kept: Kept =
        interrupts.length > 0 ? { state: stream.state.toString() } : { history: stream.history };
      return { data: kept, interrupts };
    });
  return adapterAgent('openai-agents', options, work);
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
