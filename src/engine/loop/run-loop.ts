import { faultPoint, hasFaultHook, HoldpointError } from '../../core/index.ts';
import type { Message, ResumeEntry, TokenUsage } from '../../protocol/index.ts';
import { failed, withTurnState } from '../calls/call-state.ts';
import type { Recovery } from '../calls/checkpoints.ts';
import type { JournalEntry } from '../calls/journal.ts';
import { createJournal, isSuspension } from '../calls/journal.ts';
import type { BodyAsk } from '../calls/pausing-context.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { InterruptPart, Reply } from '../tools/tool-replies.ts';
import { callModel, pausedModelCall, resumedModelCall, writeTurn } from './call-model.ts';
import type { ChatModel, ModelFinish } from './chat-model.ts';
import type { LoopSettings } from './loop-settings.ts';
import { makeCalls } from './make-calls.ts';
import type { TurnCall } from './open-turn.ts';
import {
  answerClientCalls,
  assertNothingOpen,
  finishedIds,
  finishedMessage,
  openParts,
  openTurn,
  resultMessages,
  showResults,
  waitingMessage,
} from './open-turn.ts';
import { resumeTurn } from './resume-turn.ts';

/** The reason why the loop ended. */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'content-filter'
  | 'other'
  | 'tool-calls'
  | 'exit'
  | 'interrupted'
  | 'cancelled';

export interface LoopStart {
  readonly messages: readonly Message[];
  /** Answers to the open interrupts; undefined for a run without answers. */
  readonly replies: readonly (Reply | ResumeEntry)[] | undefined;
  /** Follow the answers. */
  readonly newMessages: readonly Message[];
  /** The progress of a lost run on the last turn, which this run finishes. */
  readonly recovery?: Recovery | undefined;
}

export interface LoopResult {
  readonly finishReason: FinishReason;
  readonly messages: readonly Message[];
  readonly text: string;
  readonly interrupts: readonly InterruptPart[];
  /** Calls that the client must run. */
  readonly pendingToolCallIds: readonly string[];
  readonly result: unknown;
  readonly usage: readonly TokenUsage[];
}

/** The loop of model and tool calls: ends when the model is done or a person must answer. */
export async function runLoop(
  start: LoopStart,
  settings: LoopSettings,
  run: RunContext,
): Promise<LoopResult> {
  const usage: TokenUsage[] = [];
  let messages: Message[];
  let turns = 0;
  let modelJournal: readonly JournalEntry[] = [];
  let text = '';
  const ended = (finishReason: FinishReason, rest: Partial<LoopResult> = {}): LoopResult => ({
    finishReason,
    messages,
    text,
    interrupts: [],
    pendingToolCallIds: [],
    result: undefined,
    usage,
    ...rest,
  });
  /** Ends the turn if a person or the client must act; else undefined. */
  const pausedAt = (calls: readonly TurnCall[], message: Message): LoopResult | undefined => {
    if (message.role !== 'assistant') return undefined;
    if (calls.some(({ state }) => state?.status === 'waiting')) {
      messages.push(waitingMessage(message, calls, turns));
      const turn = openTurn(messages);
      return ended('interrupted', { interrupts: turn === undefined ? [] : openParts(turn) });
    }
    messages.push(finishedMessage(message, calls), ...resultMessages(calls));
    run.checkpoints?.turnFinished(messages, run.state.value);
    const pending = calls.filter(({ state }) => state === undefined).map(({ call }) => call.id);
    return pending.length === 0 ? undefined : ended('tool-calls', { pendingToolCallIds: pending });
  };

  if (start.replies === undefined && start.recovery === undefined) {
    messages = [...start.messages, ...start.newMessages];
    answerClientCalls(messages);
    assertNothingOpen(messages);
  } else {
    const replies = start.replies ?? [];
    const turn = openTurn(start.messages, { unfinished: start.recovery !== undefined });
    if (turn === undefined) {
      throw new HoldpointError(
        'INPUT_INVALID',
        'There is nothing to resume: no call of the last turn waits.',
      );
    }
    const index = start.messages.indexOf(turn.message);
    messages = start.messages.slice(0, index);
    turns = turn.turns;
    const asked = resumedModelCall(turn, replies, run);
    if (asked !== undefined) {
      modelJournal = asked;
    } else {
      const after = start.messages.slice(index + 1);
      const answers = { replies, after, recovery: start.recovery };
      const resumed = await resumeTurn(turn, answers, { settings, run });
      const aborted = resumed.calls.some(({ state }) => state?.status === 'done' && state.aborted === true);
      const calls = aborted ? resumed.calls.map(abandon) : resumed.calls;
      showResults(calls, finishedIds(turn.calls), run);
      const paused = pausedAt(calls, resumed.message);
      if (aborted) return ended('cancelled');
      if (paused !== undefined) return paused;
      // Neither answers nor new messages: the model has nothing to do.
      const nothingNew = replies.length > 0 && resumed.allCancelled && start.newMessages.length === 0;
      if (nothingNew) return ended('stop');
    }
    messages.push(...start.newMessages);
  }

  for (;;) {
    run.signal.throwIfAborted();
    if (isCancelled(run)) return ended('cancelled');
    turns += 1;
    if (turns > settings.maxTurns) {
      throw new HoldpointError('MAX_TURNS', `The model did not finish within ${settings.maxTurns} turns.`);
    }
    // Only middleware asks; without middleware there is no journal.
    const journal = settings.modelMiddleware.length === 0 ? undefined : createJournal<BodyAsk>(modelJournal);
    modelJournal = [];
    if (run.checkpoints !== undefined && hasFaultHook()) await faultPoint('model:before');
    const { begin, tools } = await callModel(messages, settings, { run, journal });
    const turn = await writeTurn(settings.model, begin, {
      emitter: run.emitter,
      newId: run.newId,
      isUsedCallId: (id) => hasCall(messages, id),
    }).catch((error: unknown) => letStopPass(error, run));
    run.signal.throwIfAborted();
    if (run.checkpoints !== undefined && hasFaultHook()) await faultPoint('model:after');
    if (isCancelled(run)) return ended('cancelled');
    if (journal !== undefined && (turn === undefined || journal.openAsks.length > 0)) {
      if (turn !== undefined)
        run.warn('Model middleware caught the signal that it waits. It waits all the same.');
      await journal.settle();
      messages.push(pausedModelCall(journal, turns - 1, run));
      const waits = openTurn(messages);
      return ended('interrupted', { interrupts: waits === undefined ? [] : openParts(waits) });
    }
    if (turn === undefined)
      throw new HoldpointError('INTERNAL', 'The model waits, and nothing can answer it.');
    if (turn.usage !== undefined) usage.push(turn.usage);
    text = turn.text;
    messages.push(...turn.messages.slice(0, -1));
    const message = turn.messages.at(-1);
    if (message === undefined) continue;
    if (turn.calls.length === 0) {
      messages.push(message);
      return ended(finishOf(turn.reason));
    }
    run.checkpoints?.turnBegun(withTurnState(message, { turns }));
    const made = await makeCalls(turn.calls, { ...settings, tools }, run);
    showResults(made.calls, new Set(), run);
    const paused = pausedAt(made.calls, message);
    if (made.exit !== undefined) return ended('exit', { result: made.exit.result });
    if (paused !== undefined) return paused;
  }
}

function isCancelled({ checkpoints }: RunContext): boolean {
  return checkpoints?.cancelSignal.aborted === true;
}

/** A suspended middleware and a stopped model have no turn to show. */
function letStopPass(error: unknown, run: RunContext): undefined {
  if (!isSuspension(error) && !isCancelled(run)) throw error;
}

/** A call after a person ended the run: it no longer waits. */
function abandon({ call, state }: TurnCall): TurnCall {
  return state?.status === 'done' ? { call, state } : { call, state: failed('Aborted.') };
}

function finishOf(reason: ModelFinish): FinishReason {
  return reason === 'stop' || reason === 'length' || reason === 'content-filter' ? reason : 'other';
}

function hasCall(messages: readonly Message[], id: string): boolean {
  return messages.some(
    (message) => message.role === 'assistant' && (message.toolCalls ?? []).some((call) => call.id === id),
  );
}

/** Runs the loop of an agent. */
export type LoopRunner = (
  start: LoopStart,
  given: {
    readonly clientTools: LoopSettings['clientTools'];
    readonly maxTurns: number | undefined;
    /** Wraps the model itself, inside all middleware. */
    readonly wrapModel?: (model: ChatModel) => ChatModel;
  },
  run: RunContext,
) => Promise<LoopResult>;
