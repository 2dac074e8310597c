import { cancelledText } from '../../content/interrupts/index.ts';
import { defined, HoldpointError, parseJson } from '../../core/index.ts';
import type { Message, ResumeEntry, ToolCall } from '../../protocol/index.ts';
import type { CallState, CallToRun } from '../calls/call-state.ts';
import { contentResult, failed, withoutState } from '../calls/call-state.ts';
import type { Recovery } from '../calls/checkpoints.ts';
import { executeCall, recoverCall } from '../calls/execute-call.ts';
import type { JournalEntry } from '../calls/journal.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import type { LoopSettings } from './loop-settings.ts';
import { guardOfBegun, makeCall } from './make-calls.ts';
import { checkReply, matchReplies } from './match-replies.ts';
import type { OpenTurn, TurnCall } from './open-turn.ts';
import { settleAll } from './open-turn.ts';
import { cancelledResult, resumeCall } from './resume-call.ts';

export interface ResumedTurn {
  readonly message: Message;
  readonly calls: readonly TurnCall[];
  readonly allCancelled: boolean;
}

export interface GivenToTurn {
  readonly replies: readonly (Reply | ResumeEntry)[];
  /** The messages after the turn. */
  readonly after: readonly Message[];
  /** The progress of a lost run on the turn. */
  readonly recovery?: Recovery | undefined;
}

/**
 * Continues a turn: checks all answers, then continues every waiting call concurrently. The turn of a lost run may
 * also have calls that did not start, and calls in doubt.
 */
export async function resumeTurn(
  whole: OpenTurn,
  given: GivenToTurn,
  { settings, run }: { readonly settings: LoopSettings; readonly run: RunContext },
): Promise<ResumedTurn> {
  const { recovery } = given;
  const calls = whole.calls.map(({ call, state }) => ({
    call,
    state: recovery?.outcomeOf(call.id) ?? withSteps(state, recovery?.stepsOf(call.id) ?? []),
    isOver: state?.status === 'done' || recovery?.outcomeOf(call.id) !== undefined,
  }));
  const turn: OpenTurn = { ...whole, calls: calls.filter(({ isOver }) => !isOver) };
  const matched = matchReplies(turn, given.replies, run.secrets);
  const tools = toolsOf(turn, matched, settings);
  const replies = new Map<string, Reply>();
  for (const { call, state } of turn.calls) {
    const tool = tools.get(call.id);
    if (state?.status !== 'waiting' || tool === undefined) continue;
    for (const pending of state.interrupts) {
      const reply = matched.get(pending.interrupt.id);
      if (reply === undefined) continue;
      const own = state.child === undefined;
      const toCheck = { tool, state, pending, reply, secrets: run.secrets };
      replies.set(pending.interrupt.id, own ? await checkReply(toCheck) : reply);
    }
  }
  const goOn = async (call: ToolCall, state: CallState | undefined): Promise<CallState | undefined> => {
    if (state === undefined) {
      const result = clientResult(call.id, given.after);
      if (result !== undefined || recovery === undefined) return result;
      return beginAgain(call, { settings, recovery, run });
    }
    const tool = tools.get(call.id);
    if (state.status === 'done') return state;
    if (tool === undefined) {
      const [pending] = state.interrupts;
      return failed(pending === undefined ? cancelledText() : cancelledResult(pending, run));
    }
    const make = (toRun: CallToRun) =>
      recovery === undefined ? executeCall(toRun, run) : recoverCall(toRun, recovery, run);
    const { requireApproval } = settings;
    const hasBegun = recovery?.hasBegun(call.id) === true;
    return resumeCall({ call, state, tool, replies, requireApproval, hasBegun, make }, run);
  };
  const made = await settleAll(
    calls.map(async ({ call, state, isOver }): Promise<TurnCall> => ({
      call,
      state: isOver ? state : await goOn(call, state),
    })),
  );
  return {
    message: withoutState(whole.message),
    calls: made,
    allCancelled: [...matched.values()].every(({ status }) => status === 'cancelled'),
  };
}

/** Steps that a lost run finished count as done. */
function withSteps(state: CallState | undefined, steps: readonly JournalEntry[]): CallState | undefined {
  if (state?.status !== 'waiting' || steps.length === 0) return state;
  return { ...state, journal: [...state.journal, ...steps] };
}

/** Runs a call of the turn that was not waiting: as a first run, unless it has started. */
async function beginAgain(
  call: ToolCall,
  given: { readonly settings: LoopSettings; readonly recovery: Recovery; readonly run: RunContext },
): Promise<CallState | undefined> {
  const { settings, recovery, run } = given;
  const tool = settings.tools.get(call.function.name);
  const journal = recovery.stepsOf(call.id);
  const began = recovery.hasBegun(call.id) || journal.length > 0 || recovery.openStepsOf(call.id).length > 0;
  if (tool === undefined || (!began && tool.hidden !== true)) return makeCall(call, settings, run);
  const input = parseJson(call.function.arguments);
  const toRun: CallToRun = { tool, toolCallId: call.id, input, journal, version: tool.version };
  const guard = tool.hidden === true ? undefined : await guardOfBegun(toRun, settings.requireApproval, run);
  return recoverCall({ ...toRun, guard }, recovery, run);
}

/** A call of a missing tool can only be cancelled. */
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
    else if (state.interrupts.some(({ interrupt }) => replies.get(interrupt.id)?.status !== 'cancelled')) {
      throw new HoldpointError(
        'TOOL_UNKNOWN',
        `The tool ${call.function.name} no longer exists; its interrupt can only be cancelled.`,
      );
    }
  }
  return tools;
}

/** The result of a client for its own call, sent together with the answers. */
function clientResult(toolCallId: string, after: readonly Message[]): CallState | undefined {
  const message = after.find((candidate) => candidate.role === 'tool' && candidate.toolCallId === toolCallId);
  if (message?.role !== 'tool') return undefined;
  const output = typeof message.content === 'string' ? message.content : contentResult(message.content);
  return { status: 'done', output, messageId: message.id, ...defined({ error: message.error }) };
}
