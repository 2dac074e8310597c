import { defined, HoldpointError, isRecord, messageOf, parseJson } from '../../core/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { approvalInterrupt, decisionOf, textOf } from '../approvals.ts';
import type { RunWork } from '../emit-run.ts';
import { scopedThreadId, threadOf } from '../emit-run.ts';
import type { Turn, TurnEnd } from '../remember-run.ts';
import type { MastraAgent, MastraChunk, MastraStream } from './sdk.ts';

/** Gives an agent its answers, one after the other, and then the new messages. */
export async function* runAgent(
  agent: MastraAgent,
  { run, turn }: { readonly run: RunWork; readonly turn: Turn },
): AsyncGenerator<void, TurnEnd, undefined> {
  const { input, context } = run;
  const thread = threadOf(input, context);
  const options = {
    memory: { thread: scopedThreadId(thread), resource: thread.scope },
    ...defined({ abortSignal: context.signal }),
  };
  const open = new Map<string, Interrupt>();
  for (const { interrupt, entry } of turn.answers) {
    const { toolCallId = '', metadata, reason } = interrupt;
    const place = { ...options, runId: String(metadata?.['runId']), toolCallId };
    let stream: unknown;
    if (reason === InterruptReason.ToolCall) {
      const decision = decisionOf(entry);
      const because = decision.reason === undefined ? {} : { reason: decision.reason };
      stream = decision.approved
        ? await agent.approveToolCall(place as never)
        : await agent.declineToolCall({ ...place, ...because } as never);
    } else if (entry.status === 'resolved') {
      stream = await agent.resumeStream((entry.payload ?? null) as never, place as never);
    }
    open.delete(toolCallId);
    if (stream !== undefined) yield* writeStream(stream as MastraStream, run, open);
  }
  for (const { interrupt } of turn.answers) open.delete(interrupt.toolCallId ?? '');
  if (turn.messages.length > 0 && open.size === 0) {
    // An agent without a memory is given the whole conversation.
    const said = agent.hasOwnMemory?.() === false ? input.messages : turn.messages;
    const messages = said.flatMap((message) =>
      message.role === 'user' || message.role === 'assistant'
        ? [{ role: message.role, content: textOf(message) }]
        : [],
    );
    const stream = await agent.stream(messages as never, options as never);
    yield* writeStream(stream as MastraStream, run, open);
  }
  return { data: null, interrupts: [...open.values()] };
}

/** Writes what an agent streams; calls that wait go into `open`. */
async function* writeStream(
  { runId, fullStream }: MastraStream,
  { transcript, input }: RunWork,
  open: Map<string, Interrupt>,
): AsyncGenerator<void, void, undefined> {
  let message = 0;
  for await (const { type, payload = {} } of fullStream) {
    const { toolCallId = '', toolName = '' } = payload;
    const messageId = `${input.runId}-${runId}-${message}`;
    if (type === 'text-delta') transcript.text(messageId, payload.text ?? '');
    else if (type === 'reasoning-delta') transcript.reasoning(messageId, payload.text ?? '');
    else if (type === 'tool-call')
      transcript.wholeCall({ id: toolCallId, name: toolName, messageId }, payload.args);
    else if (type === 'tool-result') {
      transcript.result(toolCallId, payload.result ?? null);
      message += 1;
    } else if (type === 'tool-error') transcript.result(toolCallId, messageOf(payload.error));
    else if (type === 'tool-call-approval' || type === 'tool-call-suspended') {
      transcript.wholeCall({ id: toolCallId, name: toolName, messageId }, payload.args);
      open.set(toolCallId, toInterrupt(type, payload, runId));
    } else if (type === 'error') {
      throw new HoldpointError('MODEL_FAILED', 'Mastra reported an error.', { cause: payload.error });
    }
    yield;
  }
}

function toInterrupt(type: string, payload: NonNullable<MastraChunk['payload']>, runId: string): Interrupt {
  const { toolCallId = '', toolName = '', args, suspendPayload = null, resumeSchema } = payload;
  if (type === 'tool-call-approval') {
    const interrupt = approvalInterrupt({ id: toolCallId, callId: toolCallId, name: toolName, args });
    return { ...interrupt, metadata: { ...interrupt.metadata, runId } };
  }
  const schema: unknown = resumeSchema === undefined ? undefined : parseJson(resumeSchema);
  const message: unknown = isRecord(suspendPayload) ? suspendPayload['message'] : undefined;
  return {
    id: toolCallId,
    reason: InterruptReason.InputRequired,
    message: typeof message === 'string' ? message : toolName,
    toolCallId,
    ...(isRecord(schema) ? { responseSchema: schema } : {}),
    metadata: { payload: suspendPayload, runId },
  };
}
