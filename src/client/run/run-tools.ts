import { HoldpointError, messageOf } from '../../core/index.ts';
import type { Message, RunFinishedEvent, ToolCall } from '../../protocol/index.ts';
import { aggregateTokenUsage } from '../../protocol/events.ts';
import type { ClientTool } from '../client-options.ts';
import type { Session } from '../session.ts';
import type { ThreadStore } from '../thread/thread-store.ts';

export interface ToolRound {
  readonly session: Pick<Session, 'tools' | 'maxToolRounds' | 'newId'>;
  readonly thread: ThreadStore;
  readonly signal: AbortSignal;
  /** Runs the agent again with the results. */
  readonly again: () => Promise<RunFinishedEvent>;
}

/**
 * Runs the pending calls of the client's tools, then the agent again with their results, until no call is pending.
 * A turn that also calls a tool the client does not have is left to the caller. Throws `MAX_TURNS` past the limit.
 */
export async function runTools(first: RunFinishedEvent, round: ToolRound): Promise<RunFinishedEvent> {
  const { session, thread, signal } = round;
  const tools = new Map(session.tools.map((tool) => [tool.name, tool]));
  let end = first;
  let usage = first.usage;
  for (let rounds = 0; ; rounds += 1) {
    const calls = waitingCalls(end, thread.messages, tools);
    if (calls.length === 0) return usage === undefined ? end : { ...end, usage: aggregateTokenUsage(usage) };
    if (rounds >= session.maxToolRounds) {
      const sentence = `The agent called the client's tools in more than ${session.maxToolRounds} rounds. Raise maxToolRounds if that is intended.`;
      throw new HoldpointError('MAX_TURNS', sentence);
    }
    const { threadId } = thread;
    const results = calls.map(async ({ call, tool }): Promise<Message> => ({
      id: session.newId(),
      role: 'tool',
      toolCallId: call.id,
      ...(await resultOf(tool, call, { threadId, signal })),
    }));
    thread.add(await Promise.all(results));
    thread.changed();
    signal.throwIfAborted();
    end = await round.again();
    usage = end.usage === undefined ? usage : [...(usage ?? []), ...end.usage];
  }
}

interface WaitingCall {
  readonly call: ToolCall;
  readonly tool: ClientTool;
}

/** The pending calls that the server names, or else the calls without a result since the last user message. */
function waitingCalls(
  { outcome }: RunFinishedEvent,
  messages: readonly Message[],
  tools: ReadonlyMap<string, ClientTool>,
): WaitingCall[] {
  if (outcome !== undefined && outcome.type !== 'success') return [];
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const answered = new Set(turn.map((message) => (message.role === 'tool' ? message.toolCallId : undefined)));
  const calls = turn
    .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
    .filter(({ id }) => !answered.has(id));
  const named = outcome?.pendingToolCallIds;
  const pending = named === undefined ? calls : calls.filter(({ id }) => named.includes(id));
  const ours = pending.flatMap((call) => {
    const tool = tools.get(call.function.name);
    return tool === undefined ? [] : [{ call, tool }];
  });
  return ours.length === pending.length ? ours : [];
}

/** The result of a tool. A thrown error becomes an error result, so that the model can react. */
async function resultOf(
  tool: ClientTool,
  { id: toolCallId, function: { arguments: text } }: ToolCall,
  context: { readonly threadId: string; readonly signal: AbortSignal },
): Promise<{ content: string; error?: string }> {
  try {
    const input: unknown = text === '' ? {} : JSON.parse(text);
    const output: unknown = await tool.run(input, { ...context, toolCallId });
    return { content: typeof output === 'string' ? output : (JSON.stringify(output) ?? '') };
  } catch (failure) {
    const error = messageOf(failure);
    return { content: `Error: ${error}`, error };
  }
}
