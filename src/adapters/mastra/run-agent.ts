import { defined, HoldpointError, parseJson } from '../../core/index.ts';
import type { Interrupt, Message } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { approvalInterrupt, decisionOf } from '../approvals.ts';
import type { RunWork } from '../emit-run.ts';
import { scopedThreadId, threadOf } from '../emit-run.ts';
import { inputInterrupt } from '../input-interrupt.ts';
import type { Turn, TurnEnd } from '../remember-run.ts';
import { fileForm, textOf, userContent } from '../user-content.ts';
import type { MastraAgent, MastraChunk, MastraStream } from './sdk.ts';

/** How Mastra writes the messages of the user. */
export const FORM = fileForm('Mastra');

/** Gives an agent its answers, one after the other, and then the new messages. An error that Mastra reports is no doubt. */
export async function* runAgent(
  agent: MastraAgent,
  given: { readonly run: RunWork; readonly turn: Turn<object> },
): AsyncGenerator<void, TurnEnd, undefined> {
  const { run, turn } = given;
  try {
    return yield* giveAnswers(agent, given);
  } catch (error) {
    // Without answers nothing is in doubt, and a stopped run says nothing about them.
    if (turn.answers.length === 0 || run.context.signal?.aborted === true) throw error;
    const hasResult = (interrupt: Interrupt) =>
      run.transcript.resultOf(interrupt.toolCallId ?? '') !== undefined;
    const failed = turn.answers.flatMap(({ interrupt }) => (hasResult(interrupt) ? [] : [interrupt]));
    return { data: null, interrupts: [], failure: error, failed };
  }
}

async function* giveAnswers(
  agent: MastraAgent,
  { run, turn }: { readonly run: RunWork; readonly turn: Turn<object> },
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
      const { approved, reason: because } = decisionOf(entry, context);
      stream = approved
        ? await agent.approveToolCall(place as never)
        : await agent.declineToolCall({ ...place, ...defined({ reason: because }) } as never);
    } else if (entry.status === 'resolved') {
      stream = await agent.resumeStream((entry.payload ?? null) as never, place as never);
    }
    open.delete(toolCallId);
    if (stream !== undefined) yield* writeStream(stream as MastraStream, run, open);
  }
  for (const { interrupt } of turn.answers) open.delete(interrupt.toolCallId ?? '');
  if (turn.contents.length > 0 && open.size === 0) {
    const isForgetful = agent.hasOwnMemory?.() === false;
    const messages = isForgetful
      ? conversationOf(input.messages)
      : turn.contents.map((content) => ({ role: 'user', content }));
    const stream = await agent.stream(messages as never, options as never);
    yield* writeStream(stream as MastraStream, run, open);
  }
  return { data: null, interrupts: [...open.values()] };
}

/** Whether a call can get its answer again: Mastra cannot resume a workflow that was lost while it ran as a tool. */
export function canRetry({ metadata }: Interrupt): boolean {
  return !String(metadata?.['toolName']).startsWith('workflow-');
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
    } else if (type === 'tool-error') transcript.failure(toolCallId, payload.error);
    else if (type === 'tool-call-approval' || type === 'tool-call-suspended') {
      transcript.wholeCall({ id: toolCallId, name: toolName, messageId }, payload.args);
      open.set(toolCallId, toInterrupt(type, payload, runId));
    } else if (type === 'error') {
      throw new HoldpointError('MODEL_FAILED', 'Mastra reported an error.', { cause: payload.error });
    }
    yield;
  }
}

/** The whole conversation, for an agent without a memory. A message that Mastra did not take has ended its own run, and stays out. */
function conversationOf(messages: readonly Message[]): readonly object[] {
  return messages.flatMap((message): object[] => {
    const { role } = message;
    const text = textOf(message);
    // Providers reject an empty message.
    if (role === 'assistant') return text === '' ? [] : [{ role, content: text }];
    if (role !== 'user') return [];
    try {
      return [{ role, content: userContent(message, FORM) }];
    } catch (error) {
      if (HoldpointError.is(error, 'INPUT_INVALID')) return [];
      throw error;
    }
  });
}

function toInterrupt(type: string, payload: NonNullable<MastraChunk['payload']>, runId: string): Interrupt {
  const { toolCallId: id = '', toolName = '', args, suspendPayload, resumeSchema } = payload;
  const about = { id, callId: id, metadata: { runId, toolName } };
  if (type === 'tool-call-approval') return approvalInterrupt({ ...about, name: toolName, args });
  const schema: unknown = resumeSchema === undefined ? undefined : parseJson(resumeSchema);
  return inputInterrupt({ ...about, message: toolName, schema, details: suspendPayload });
}
