import { defined, HoldpointError, isRecord, messageOf } from '../../core/index.ts';
import type { Agent, AgentContext } from '../../engine/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { approvalInterrupt, decisionOf } from '../approvals.ts';
import type { AdapterOptions, RunWork } from '../emit-run.ts';
import { adapterAgent } from '../emit-run.ts';
import { inputInterrupt } from '../input-interrupt.ts';
import type { Turn, TurnEnd } from '../remember-run.ts';
import { rememberRun } from '../remember-run.ts';
import { fileForm } from '../user-content.ts';
import type { AiSdkAgent, AiSdkPart, AiSdkStream } from './sdk.ts';

export interface FromAiSdkAgentOptions extends AdapterOptions {
  /** The tools, for the output schemas of those without `execute`. Default: the tools of the agent. */
  readonly tools?: object;
}

/** Calls `streamText` with the messages of the conversation. */
export type StreamMessages<Messages> = (
  messages: Messages,
  options: { readonly abortSignal?: AbortSignal },
) => AiSdkStream | PromiseLike<AiSdkStream>;

/**
 * Puts an agent of the AI SDK, or a function that calls `streamText`, behind a host. A call that `needsApproval` is an
 * interrupt, and its decision goes back as a `tool-approval-response`. A call of a tool without `execute` asks a person for the
 * tool's output. The thread keeps the SDK's messages.
 *
 * @example
 * ```ts
 * import { fromAiSdkAgent } from 'holdpoint/ai-sdk';
 * import { createHost } from 'holdpoint/host';
 *
 * const support = fromAiSdkAgent((messages) => streamText({ model, tools, messages }));
 * const host = createHost({ agents: { support }, store });
 * ```
 */
export function fromAiSdkAgent<Messages = never[]>(
  given: AiSdkAgent | StreamMessages<Messages>,
  options: FromAiSdkAgentOptions = {},
): Agent {
  const tools = options.tools ?? (typeof given === 'function' ? undefined : given.tools);
  const stream = (messages: readonly unknown[], abortSignal: AbortSignal | undefined) => {
    const signal = abortSignal === undefined ? {} : { abortSignal };
    // The SDK made these messages, or they have its form.
    if (typeof given === 'function') return given(messages as Messages, signal);
    return given.stream({ messages: messages as never[], ...signal });
  };
  const work = (run: RunWork) =>
    rememberRun(run, fileForm('The AI SDK'), async function* ({ data, answers, contents }) {
      const before = Array.isArray(data) ? (data as unknown[]) : [];
      const said = contents.map((content) => ({ role: 'user', content }));
      const isFollowed = said.length > 0;
      const sent = [...before, ...toToolMessages(answers, { isFollowed, context: run.context }), ...said];
      const result = await stream(sent, run.context.signal);
      const interrupts = yield* writeStream(result, run, tools);
      const made = (await result.response).messages;
      return { data: [...before, ...toKept(sent.slice(before.length), made), ...made], interrupts };
    });
  return adapterAgent('ai-sdk', options, work);
}

/** The answers in the SDK's form. The SDK looks for approvals only in the last message: before another one they are results. */
function toToolMessages(
  answers: Turn<object>['answers'],
  { isFollowed, context }: { readonly isFollowed: boolean; readonly context: AgentContext },
): readonly object[] {
  const content = answers.map(({ interrupt, entry }) => {
    const { toolCallId = '', metadata } = interrupt;
    const toolName = String(metadata?.['functionName'] ?? metadata?.['toolName']);
    const result = (output: object) => ({ type: 'tool-result', toolCallId, toolName, output });
    if (interrupt.reason !== InterruptReason.ToolCall && entry.status === 'resolved') {
      return result({ type: 'json', value: entry.payload ?? null });
    }
    const { approved, reason } = decisionOf(entry, context);
    const because = defined({ reason });
    const approvalId = metadata?.['approvalId'];
    if (approvalId === undefined || (isFollowed && !approved))
      return result({ type: 'execution-denied', ...because });
    return { type: 'tool-approval-response', approvalId, approved, ...because, toolCallId, toolName };
  });
  return content.length === 0 ? [] : [{ role: 'tool', content }];
}

/**
 * The sent messages as the thread keeps them. AI SDK 7 writes no result for a denied call, and later rejects a conversation with
 * a call without one.
 */
function toKept(sent: readonly unknown[], made: readonly unknown[]): readonly unknown[] {
  const answered = new Set(
    contentsOf(made).flatMap(({ type, toolCallId }) => (type === 'tool-result' ? [toolCallId] : [])),
  );
  return sent.map((message) => {
    const denied = contentsOf([message]).filter(
      ({ type, approved, toolCallId }) =>
        type === 'tool-approval-response' && approved === false && !answered.has(toolCallId),
    );
    if (!isRecord(message) || denied.length === 0) return message;
    const results = denied.map(({ toolCallId, toolName, reason }) => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: 'execution-denied', ...defined({ reason }) },
    }));
    return { ...message, content: [...contentsOf([message]), ...results] };
  });
}

function contentsOf(messages: readonly unknown[]): readonly Readonly<Record<string, unknown>>[] {
  return messages.flatMap((message) => {
    const content: unknown = isRecord(message) ? message['content'] : undefined;
    return Array.isArray(content) ? content.filter(isRecord) : [];
  });
}

/** Writes what the SDK streams; returns the interrupts that it ends with. */
async function* writeStream(
  { fullStream }: AiSdkStream,
  { transcript, input: { runId } }: RunWork,
  tools: unknown,
): AsyncGenerator<void, TurnEnd['interrupts'], undefined> {
  const approvals = new Map<string, Interrupt>();
  const unanswered = new Map<string, AiSdkPart>();
  let step = 0;
  for await (const part of fullStream) {
    const { type, id = '', toolCallId = '', toolName = '' } = part;
    const messageId = `${runId}-${step}`;
    if (type === 'start-step') step += 1;
    else if (type === 'text-delta') transcript.text(messageId, part.text ?? part.delta ?? '');
    else if (type === 'reasoning-delta') transcript.reasoning(messageId, part.text ?? part.delta ?? '');
    else if (type === 'tool-input-start') transcript.call({ id, name: toolName, messageId });
    else if (type === 'tool-input-delta') transcript.args(id, part.delta ?? '');
    else if (type === 'tool-call') {
      transcript.wholeCall({ id: toolCallId, name: toolName, messageId }, part.input);
      unanswered.set(toolCallId, part);
    } else if (type === 'tool-result' && part.preliminary !== true) {
      transcript.result(toolCallId, part.output ?? null);
      unanswered.delete(toolCallId);
    } else if (type === 'tool-error') {
      transcript.result(toolCallId, messageOf(part.error));
      unanswered.delete(toolCallId);
    } else if (type === 'tool-output-denied') {
      transcript.result(toolCallId, 'Tool call invocation rejected.');
      unanswered.delete(toolCallId);
    } else if (type === 'tool-approval-request' && part.toolCall !== undefined && part.isAutomatic !== true) {
      const { toolCallId: callId, toolName: name, input } = part.toolCall;
      const { approvalId } = part;
      const call = { id: approvalId ?? callId, callId, name, args: input, metadata: { approvalId } };
      approvals.set(callId, approvalInterrupt(call));
    } else if (type === 'error') {
      throw new HoldpointError('MODEL_FAILED', 'The AI SDK reported an error.', { cause: part.error });
    }
    yield;
  }
  const outputs = [...unanswered.entries()]
    .filter(([callId]) => !approvals.has(callId))
    .map(([callId, call]) => outputInterrupt(callId, call, tools));
  return [...approvals.values(), ...outputs];
}

/** A tool without `execute`: its output is the answer of a person. */
function outputInterrupt(toolCallId: string, { toolName = '', input }: AiSdkPart, tools: unknown): Interrupt {
  const tool: unknown = isRecord(tools) ? tools[toolName] : undefined;
  const { description, outputSchema } = isRecord(tool) ? tool : {};
  return inputInterrupt({
    id: toolCallId,
    callId: toolCallId,
    message: typeof description === 'string' ? description : toolName,
    schema: outputSchema,
    payload: input,
    metadata: { toolName },
  });
}
