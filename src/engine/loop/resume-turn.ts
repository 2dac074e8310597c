import { CANCELLED_TEXT } from '../../content/questions/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { Message, ResumeEntry } from '../../protocol/index.ts';
import type { CallState } from '../calls/call-state.ts';
import { withoutState } from '../calls/call-state.ts';
import { failed } from '../calls/call-outcomes.ts';
import { contentResult } from '../calls/tool-message.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import { checkReply } from './check-reply.ts';
import type { LoopSettings } from './loop-settings.ts';
import { matchReplies } from './match-replies.ts';
import type { OpenTurn } from './open-turn.ts';
import { resumeCall } from './resume-call.ts';
import type { TurnCall } from './turn-calls.ts';

export interface ResumedTurn {
  readonly message: Message;
  readonly calls: readonly TurnCall[];
  readonly allCancelled: boolean;
}

/** Goes on with a turn that waited: all answers are checked, then every call that waited goes on, side by side. */
export async function resumeTurn(
  turn: OpenTurn,
  given: { readonly replies: readonly (Reply | ResumeEntry)[]; readonly after: readonly Message[] },
  { settings, run }: { readonly settings: LoopSettings; readonly run: RunContext },
): Promise<ResumedTurn> {
  const matched = matchReplies(turn, given.replies);
  const tools = toolsOf(turn, matched, settings);
  const replies = new Map<string, Reply>();
  for (const { call, state } of turn.calls) {
    const tool = tools.get(call.id);
    if (state?.status !== 'waiting' || tool === undefined) continue;
    for (const question of state.questions) {
      const reply = matched.get(question.interrupt.id);
      if (reply === undefined) continue;
      const own = state.child === undefined;
      replies.set(question.interrupt.id, own ? await checkReply({ tool, state, question, reply }) : reply);
    }
  }
  const calls = await Promise.all(
    turn.calls.map(async ({ call, state }): Promise<TurnCall> => {
      const tool = tools.get(call.id);
      if (state === undefined) return { call, state: clientResult(call.id, given.after) };
      if (state.status === 'done') return { call, state };
      if (tool === undefined) return { call, state: failed(CANCELLED_TEXT) };
      return { call, state: await resumeCall({ call, state, tool, replies }, run) };
    }),
  );
  return {
    message: withoutState(turn.message),
    calls,
    allCancelled: [...matched.values()].every(({ status }) => status === 'cancelled'),
  };
}

/** A tool that is gone can still be cancelled, and nothing else. */
function toolsOf(
  turn: OpenTurn,
  replies: ReadonlyMap<string, Reply>,
  settings: LoopSettings,
): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const { call, state } of turn.calls) {
    if (state?.status !== 'waiting') continue;
    const tool = settings.tools.get(call.function.name);
    if (tool !== undefined) tools.set(call.id, tool);
    else if (state.questions.some(({ interrupt }) => replies.get(interrupt.id)?.status !== 'cancelled')) {
      throw new HoldpointError(
        'TOOL_UNKNOWN',
        `The tool ${call.function.name} that asked is not there any more; its question can only be cancelled.`,
      );
    }
  }
  return tools;
}

/** A client that answered its own call along with the questions is listened to. */
function clientResult(toolCallId: string, after: readonly Message[]): CallState | undefined {
  const message = after.find((candidate) => candidate.role === 'tool' && candidate.toolCallId === toolCallId);
  if (message?.role !== 'tool') return undefined;
  const output = typeof message.content === 'string' ? message.content : contentResult(message.content);
  return { status: 'done', output, ...(message.error === undefined ? {} : { error: message.error }) };
}
