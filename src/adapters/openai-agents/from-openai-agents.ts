import { defined, isRecord, parseJson } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import { approvalInterrupt, decisionOf, textOf } from '../approvals.ts';
import type { RunWork, Transcript } from '../emit-run.ts';
import { emitRun } from '../emit-run.ts';
import { rememberRun } from '../remember-run.ts';
import type { AgentsItem, AgentsStream, ApprovalItem, OpenAiAgentsSdk, RunState } from './sdk.ts';

export interface FromOpenAiAgentsOptions {
  /** Default `openai-agents`; a host that is given agents by name uses the name. */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
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
  const { id = 'openai-agents', name, description } = options;
  const start = async (input: unknown, signal: AbortSignal | undefined) => {
    const given = { ...options.run, stream: true, ...defined({ signal }) };
    // The SDK's types are declared here only as far as they are used.
    return (await sdk.run(agent as never, input as never, given as never)) as AgentsStream;
  };
  const work = (run: RunWork) =>
    rememberRun(run, async function* ({ data, answers, messages }) {
      const { history = [], state }: Kept = isRecord(data) ? data : {};
      let conversation = history;
      let stream: AgentsStream | undefined;
      if (state !== undefined) {
        const resumed = (await sdk.RunState.fromString(agent as never, state)) as RunState;
        const waiting = new Map(resumed.getInterruptions().map((item) => [callIdOf(item), item]));
        for (const { interrupt, entry } of answers) {
          const item = waiting.get(interrupt.toolCallId ?? '');
          if (item === undefined) continue;
          const { approved, reason } = decisionOf(entry);
          if (approved) resumed.approve(item);
          else resumed.reject(item, reason === undefined ? {} : { message: reason });
        }
        stream = await start(resumed, run.context.signal);
        yield* writeStream(stream, run, 0);
        conversation = stream.history;
      }
      if (messages.length > 0 && (stream?.interruptions.length ?? 0) === 0) {
        const said = messages.map((message) => ({ role: 'user', content: textOf(message) }));
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
  return {
    id,
    ...defined({ name, description }),
    run: (input, context = {}) => emitRun(input, context, work),
  };
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
  if (text === undefined || text === '') return {};
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
