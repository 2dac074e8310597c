import { rejectionText } from '../../content/interrupts/index.ts';
import { defined, HoldpointError, isRecord, jsonCopy, messageOf } from '../../core/index.ts';
import type { Agent, AgentContext } from '../../engine/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { approvalInterrupt, decisionOf } from '../approvals.ts';
import type { AdapterOptions, RunWork } from '../emit-run.ts';
import { inputInterrupt } from '../input-interrupt.ts';
import type { GivenAnswer, TurnEnd } from '../remember-run.ts';
import { rememberingAgent } from '../remember-run.ts';
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
 * Puts an agent of the AI SDK, or a function that calls `streamText`, behind a host. A call that waits for approval is
 * an interrupt, and its decision goes back as a `tool-approval-response`. A call of a tool without `execute` asks a person for the
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
  const about = { ...options, defaultId: 'ai-sdk', form: fileForm('The AI SDK') };
  return rememberingAgent(about, async function* ({ data, answers, contents, isOver }, run) {
    const replies = answers.map((answer) => toReply(answer, run.context));
    for (const { toolCallId, shown } of replies)
      if (shown !== undefined) run.transcript.result(toolCallId, shown);
    const said = contents.map((content) => ({ role: 'user', content }));
    const isApproved = !isOver && replies.some(({ approves }) => approves);
    // The SDK reads decisions from the last message only. Before another message, a rejected call has a result.
    const isLast = !isOver && (isApproved || said.length === 0);
    const content = replies.map(({ decision, result }) => (isLast ? decision : result));
    let messages: readonly unknown[] = Array.isArray(data) ? (data as unknown[]) : [];
    if (content.length > 0) messages = [...messages, { role: 'tool', content }];
    if (isOver) return { data: messages, interrupts: [] };
    // The message of the user follows when the approved calls have their results.
    const turns = isApproved && said.length > 0 ? [[], said] : [said];
    let interrupts: TurnEnd['interrupts'] = [];
    for (const [turn, news] of turns.entries()) {
      if (interrupts.length > 0) return { data: messages, interrupts, isUnsent: true };
      messages = [...messages, ...news];
      const result = await stream(messages, run.context.signal);
      interrupts = yield* writeStream(result, run, { tools, prefix: `${run.input.runId}-${turn}` });
      messages = [...messages, ...(await messagesOf(result))];
    }
    return { data: messages, interrupts };
  });
}

/** The messages that the SDK made in all steps. `response` of AI SDK 7 has those of the last step only. */
async function messagesOf(result: AiSdkStream): Promise<readonly unknown[]> {
  // Each is a promise from its first use on, so only one of them is read.
  const all = result.responseMessages;
  return all === undefined ? (await result.response).messages : all;
}

/** An answer in the SDK's form. */
interface SdkReply {
  readonly toolCallId: string;
  /** Whether the SDK makes the call when it reads the decision. */
  readonly approves: boolean;
  /** The part of the last message. */
  readonly decision: object;
  /** The result of the call, without the SDK. */
  readonly result: object;
  /** The result to show now; absent for a call that the SDK makes. */
  readonly shown?: unknown;
}

function toReply({ interrupt, entry, output }: GivenAnswer, context: AgentContext): SdkReply {
  const { toolCallId = '', metadata } = interrupt;
  const toolName = String(metadata?.['functionName'] ?? metadata?.['toolName']);
  const resultOf = (value: object) => ({ type: 'tool-result', toolCallId, toolName, output: value });
  const isInput = interrupt.reason !== InterruptReason.ToolCall && entry.status === 'resolved';
  const known = output ?? (isInput ? jsonCopy(entry.payload ?? null) : undefined);
  if (known !== undefined) {
    const type = !isInput && typeof known === 'string' ? 'text' : 'json';
    const result = resultOf({ type, value: known });
    return { toolCallId, approves: false, decision: result, result, shown: known };
  }
  const { approved, reason } = decisionOf(entry, context);
  const because = defined({ reason });
  const result = resultOf({ type: 'execution-denied', ...because });
  const approvalId = metadata?.['approvalId'];
  const decision =
    approvalId === undefined
      ? result
      : { type: 'tool-approval-response', approvalId, approved, ...because, toolCallId, toolName };
  if (approved) return { toolCallId, approves: true, decision, result };
  return { toolCallId, approves: false, decision, result, shown: rejectionText(reason) };
}

/** Writes what the SDK streams; returns the interrupts that it ends with. */
async function* writeStream(
  { fullStream }: AiSdkStream,
  { transcript }: RunWork,
  { tools, prefix }: { readonly tools: unknown; readonly prefix: string },
): AsyncGenerator<void, TurnEnd['interrupts'], undefined> {
  const approvals = new Map<string, Interrupt>();
  const unanswered = new Map<string, AiSdkPart>();
  const denials = new Map<string, string | undefined>();
  let step = 0;
  for await (const part of fullStream) {
    const { type, id = '', toolCallId = '', toolName = '' } = part;
    const messageId = `${prefix}-${step}`;
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
      transcript.result(toolCallId, messageOf(part.error), true);
      unanswered.delete(toolCallId);
    } else if (type === 'tool-output-denied') {
      transcript.result(toolCallId, rejectionText(denials.get(toolCallId)));
      unanswered.delete(toolCallId);
    } else if (type === 'tool-approval-response' && part.toolCall !== undefined) {
      // The SDK decided by itself.
      denials.set(part.toolCall.toolCallId, part.reason);
    } else if (type === 'tool-approval-request' && part.toolCall !== undefined && part.isAutomatic !== true) {
      const { toolCallId: callId, toolName: name, input } = part.toolCall;
      const { approvalId, reason: message } = part;
      const call = { id: approvalId ?? callId, callId, name, args: input, message, metadata: { approvalId } };
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
