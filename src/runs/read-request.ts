import { canonicalJson, defined, HoldpointError, isRecord } from '../core/index.ts';
import { withoutState } from '../engine/index.ts';
import type { BeginRun, InterruptRecord, ThreadRecord } from '../ledger/index.ts';
import { lookAtThread, mayRun } from '../ledger/index.ts';
import type { Message, RunAgentInput } from '../protocol/index.ts';
import type { Truncation } from './conversation.ts';
import { clientCalls, PAGE, readConversation, toLog } from './conversation.ts';
import { isForeignTurn } from './foreign-turn.ts';
import type { RunRequest, RunsOptions } from './run-request.ts';
import { openTurnOf } from './thread-as-is.ts';

/** A run request after a look at its thread. */
interface ReadRequest {
  /** The part of the input that the caller may give. */
  readonly input: RunAgentInput;
  /** The request to the ledger. */
  readonly begin: BeginRun;
}

/** Reads a run request with its current thread. Throws like {@link assertItsTurn}. */
export async function readRequest(request: RunRequest, options: RunsOptions): Promise<ReadRequest> {
  const { access, agent } = request;
  const entries = request.input.resume ?? [];
  const interruptIds = entries.map(({ interruptId }) => interruptId);
  // `beginRun` rests on this look, and notices messages that come in between.
  const look = await lookAtThread(access, { interruptIds, messages: PAGE });
  const { thread, interrupts } = look.view;
  assertItsTurn(request, thread);
  const mayGiveAll = await mayRun(access, [agent.id, thread?.agent ?? agent.id]);
  // A person who may only answer gives the run no tools and no context. The ledger rejects their messages.
  const input = mayGiveAll ? request.input : { ...request.input, ...NOTHING };
  const known = await readConversation(access, { read: look.messages });
  const asked = (thread?.batch?.interruptIds ?? []).flatMap((id) => {
    const record = interrupts.get(id);
    return record === undefined || record.answer !== undefined ? [] : [record];
  });
  const vault = await options.vault();
  const fresh = request.continues === undefined ? newMessages(input, known, { thread, asked }) : [];
  const replaces =
    typeof input.state === 'object' && input.state !== null && Object.keys(input.state).length > 0;
  const begin: BeginRun = {
    runId: input.runId,
    agent: agent.id,
    entries,
    look,
    newMessages: toLog(fresh),
    expectMessages: thread?.logs.messages ?? 0,
    ...titleOf(fresh),
    leaseMs: options.leaseMs,
    via: request.continues === 'background' ? ('inbox' as const) : ('ag-ui' as const),
    quotas: options.quotas,
    vault,
    ...(replaces ? { state: input.state as BeginRun['state'] & object } : {}),
    ...defined({ uncovered: request.uncovered, continues: request.continues }),
  };
  return { input, begin };
}

const NOTHING = { tools: [], context: [], state: {}, forwardedProps: {} };

/**
 * An open turn belongs to its agent; another agent could not use the answers. Agents of ours can continue each
 * other's turns if they have the tools. Throws `INTERRUPT_UNKNOWN` or `RUN_CONFLICT`.
 */
function assertItsTurn({ agent, input, access }: RunRequest, thread: ThreadRecord | undefined): void {
  if (thread?.turn === undefined || thread.agent === agent.id) return;
  if (agent.isOurs && !isForeignTurn(thread.turn)) return;
  const sentence = `The thread ${access.key.thread} waits for the agent ${thread.agent}, not for ${agent.id}.`;
  if ((input.resume ?? []).length > 0) throw new HoldpointError('INTERRUPT_UNKNOWN', sentence);
  if (thread.batch === undefined) throw new HoldpointError('RUN_CONFLICT', sentence);
}

/** The first user message is the title of a thread. */
function titleOf(fresh: ReturnType<typeof newMessages>): { readonly title?: string } {
  for (const message of fresh) {
    if ('role' in message && message.role === 'user' && typeof message.content === 'string') {
      return { title: message.content.slice(0, 80) };
    }
  }
  return {};
}

/** The current state of a thread. */
interface ThreadNow {
  readonly thread?: ThreadRecord | undefined;
  /** The open interrupts. */
  readonly asked?: readonly InterruptRecord[];
}

/**
 * The new messages of a client. The copy of the server wins, and missing messages are not deleted. Of messages that
 * only a server writes, it accepts results of the client's own calls, and earlier messages at the start of a thread;
 * they grant nothing.
 */
export function newMessages(
  input: RunAgentInput,
  known: readonly Message[],
  { thread, asked = [] }: ThreadNow = {},
): readonly (Message | Truncation)[] {
  const cut = truncation(input, known);
  if (cut !== undefined) assertMayCut(thread);
  const base =
    cut === undefined ? known : known.slice(0, known.findIndex(({ id }) => id === cut.truncateAfter) + 1);
  // Written by `toLog`: messages that came with earlier answers and are not in the conversation yet.
  const waitingInput = (thread?.input ?? []) as unknown as readonly Message[];
  const ids = new Set([...base, ...waitingInput].map(({ id }) => id));
  // A client also sends the messages that it truncates; changed ones are new.
  const takenBack = new Map(known.slice(base.length).map((message) => [message.id, message]));
  // Only a turn that waits has made all its other calls.
  const turn = thread?.batch === undefined ? undefined : openTurnOf(thread);
  const waiting = clientCalls([...base, ...(turn === undefined ? [] : [turn]), ...waitingInput]);
  // A tool message that repeats the decision of an interrupt is not a result.
  for (const { interrupt } of asked)
    if (interrupt.toolCallId !== undefined) waiting.delete(interrupt.toolCallId);
  const isFirst = base.length === 0 && thread?.batch === undefined;
  const fresh = input.messages.flatMap((message): Message[] => {
    if (ids.has(message.id) || isSame(message, takenBack.get(message.id))) return [];
    ids.add(message.id);
    switch (message.role) {
      case 'user':
      case 'system':
      case 'developer':
        return [own(message, SAID)];
      case 'assistant':
        return isFirst ? [own(message, [...SAID, 'toolCalls'])] : [];
      case 'tool':
        return isFirst || waiting.delete(message.toolCallId) ? [own(message, RESULT)] : [];
      default:
        return [];
    }
  });
  return cut === undefined ? fresh : [cut, ...replacedCalls(known.slice(base.length)), ...fresh];
}

/** The activity that shows calls whose messages were cut off: the calls were made, so they stay visible. */
const REPLACED_CALLS = 'REPLACED_CALLS';

/** The activities of the cut-off messages: those of earlier cuts, and one for the calls that have a result now. */
function replacedCalls(cutOff: readonly Message[]): Message[] {
  const earlier = cutOff.filter(
    (message) => message.role === 'activity' && message.activityType === REPLACED_CALLS,
  );
  const results = new Map(
    cutOff.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message]] : [])),
  );
  const calls = cutOff.flatMap((message) => {
    if (message.role !== 'assistant') return [];
    return (message.toolCalls ?? []).flatMap(({ id, function: { name, arguments: args } }) => {
      const result = results.get(id);
      if (result === undefined) return [];
      const { content, error, metadata } = result;
      return [{ id, name, arguments: args, result: content, ...defined({ error, metadata }) }];
    });
  });
  const last = cutOff.at(-1);
  if (calls.length === 0 || last === undefined) return earlier;
  const id = `replaced-${last.id}`;
  return [...earlier, { id, role: 'activity', activityType: REPLACED_CALLS, content: { calls } }];
}

/** A truncation needs a thread without open interrupts and runs. Throws `INTERRUPTS_PENDING` or `RUN_CONFLICT`. */
function assertMayCut(thread: ThreadRecord | undefined): void {
  if (thread?.batch !== undefined) {
    const { interruptIds } = thread.batch;
    const sentence = `The conversation cannot be cut: ${interruptIds.join(', ')} is still open.`;
    throw new HoldpointError('INTERRUPTS_PENDING', sentence, { details: { interruptIds } });
  }
  if (thread?.turn !== undefined) {
    throw new HoldpointError(
      'RUN_CONFLICT',
      'The conversation cannot be cut: its last turn is not finished.',
    );
  }
}

const RESULT = [
  'id',
  'role',
  'content',
  'toolCallId',
  'error',
  'encryptedValue',
  'metadata',
  'subagentRunId',
];
const SAID = ['id', 'role', 'content', 'name', 'encryptedValue', 'metadata', 'subagentRunId'];

/** A message with its standard members only, without those that only the loop may write. */
function own<M extends Message>(message: M, members: readonly string[]): M {
  const kept = Object.entries(message).filter(([name]) => members.includes(name));
  return withoutState(Object.fromEntries(kept) as unknown as M);
}

function isSame(message: Message, known: Message | undefined): boolean {
  return known !== undefined && canonicalJson(own(message, SAID)) === canonicalJson(own(known, SAID));
}

/** The truncation of an input. Throws `INPUT_INVALID` for a message that the thread does not have. */
function truncation({ forwardedProps }: RunAgentInput, known: readonly Message[]): Truncation | undefined {
  const own: unknown = isRecord(forwardedProps) ? forwardedProps['holdpoint'] : undefined;
  const after: unknown = isRecord(own) ? own['truncateAfter'] : undefined;
  if (after === undefined) return undefined;
  if (typeof after !== 'string' || !known.some(({ id }) => id === after)) {
    throw new HoldpointError('INPUT_INVALID', 'truncateAfter names no message of the thread.');
  }
  return { truncateAfter: after };
}
