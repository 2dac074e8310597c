import { HoldpointError, publicMessage } from '../../core/index.ts';
import type { AgentStreamEvent, ResumeEntry, RunAgentInput } from '../../protocol/index.ts';
import { createChunkExpander, createEventReader, EventType } from '../../protocol/index.ts';
import { copyEvent } from './copy-event.ts';
import { askWhetherHandedOver, endForeign, finishQuietly } from './end-foreign.ts';
import { answersToHandOver } from './foreign-answers.ts';
import type { ForeignRun } from './foreign-run.ts';
import { createSpeech } from './foreign-speech.ts';
import type { ForeignTurn } from './foreign-turn.ts';
import { readForeignTurn } from './foreign-turn.ts';
import { takeEvents } from './take-events.ts';

type LastEvent = Extract<AgentStreamEvent, { type: EventType.RUN_FINISHED | EventType.RUN_ERROR }>;

/**
 * Runs a foreign agent: its events are read in whatever form they come, checked, kept and shown; its questions get the
 * ledger; the answers reach it once. Where it is not known whether they did, a person is asked instead.
 */
export async function runForeign(run: ForeignRun): Promise<void> {
  const turn = readForeignTurn(run.started.turn);
  const answers = await answersToHandOver(run, turn);
  if (answers.type === 'ask') return askWhetherHandedOver(run, answers.entries);
  if (answers.type === 'drop') return finishQuietly(run);
  await speak(run, turn, answers.entries);
}

async function speak(run: ForeignRun, turn: ForeignTurn, answers: readonly ResumeEntry[]): Promise<void> {
  const { agent, started, log, input, cancelSignal } = run;
  const { session } = log;
  const speech = createSpeech(run);
  const { threadId, runId } = input;
  const resume = (await run.opened(answers)).map((entry) => ({
    ...entry,
    interruptId: turn.names[entry.interruptId] ?? entry.interruptId,
  }));
  const given: RunAgentInput = {
    ...input,
    state: started.state,
    messages: [...speech.applier.messages],
    ...(resume.length === 0 ? {} : { resume }),
  };
  if (resume.length === 0) delete given.resume;
  const reader = createEventReader();
  const expand = createChunkExpander();
  const stop = new AbortController();
  const signal = AbortSignal.any([session.signal, cancelSignal, stop.signal]);
  const cancelled = async () => {
    for (const event of speech.closing()) speech.put(event);
    speech.put({ type: EventType.RUN_FINISHED, threadId, runId, outcome: { type: 'cancelled' } });
    await session.end({ outcome: 'cancelled', turn: null, ...speech.kept() });
  };
  const said: { last?: LastEvent } = {};
  const take = (raw: unknown): boolean => {
    for (const one of reader.read(copyEvent(raw))) {
      for (const event of expand(one)) {
        if (event.type === EventType.RUN_STARTED) continue;
        if (event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR) {
          said.last = event;
          return false;
        }
        speech.put(event);
      }
    }
    return true;
  };
  try {
    await takeEvents(agent.agent.run(given, { ...run.context, signal }), signal, take);
    session.signal.throwIfAborted();
    const { last } = said;
    if (last?.type === EventType.RUN_FINISHED) {
      stop.abort();
      await endForeign(run, speech, last);
      return;
    }
    if (last?.type === EventType.RUN_ERROR) {
      for (const open of speech.closing()) speech.put(open);
      speech.put(last);
      const error = { code: last.code ?? 'INTERNAL', message: last.message };
      // The agent rejected the answer, so it still waits: the interrupt is open again.
      const release = last.code === 'ANSWER_INVALID';
      await session.end({ outcome: 'error', error, release, ...speech.kept() });
      return;
    }
    if (!cancelSignal.aborted)
      throw new HoldpointError('INTERNAL', `The agent ${agent.id} stopped without an end.`);
    await cancelled();
  } catch (error) {
    if (session.signal.aborted) throw session.signal.reason;
    // Most agents throw when they are told to stop.
    if (cancelSignal.aborted && !speech.isOver) return cancelled();
    run.onError(error);
    for (const event of speech.closing()) speech.put(event);
    const { code, message } = failureOf(error);
    log.write({ type: EventType.RUN_ERROR, message, code });
    // Nothing reached an agent that cannot be reached.
    const release = code === 'UNAVAILABLE';
    await session.end({ outcome: 'error', error: { code, message }, release, ...speech.kept() });
  }
}

/** What a client is told when the agent throws. */
function failureOf(error: unknown): { readonly code: string; readonly message: string } {
  if (HoldpointError.is(error, 'UNAVAILABLE')) return { code: error.code, message: publicMessage(error) };
  if (!HoldpointError.is(error) || error.code === 'INTERNAL') {
    return { code: 'INTERNAL', message: 'The agent failed.' };
  }
  return { code: 'PROTOCOL_UNSUPPORTED', message: `The agent broke the protocol: ${publicMessage(error)}` };
}
