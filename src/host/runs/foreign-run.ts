import { recoveryResponseSchema } from '../../content/questions/index.ts';
import type { IdGenerator, JsonValue } from '../../core/index.ts';
import { HoldpointError, isRecord, messageOf } from '../../core/index.ts';
import type { AgentContext } from '../../engine/index.ts';
import { toLog } from '../../engine/index.ts';
import type { EndRun, StartedRun, Vault } from '../../ledger/index.ts';
import type {
  AgentStreamEvent,
  Interrupt,
  Message,
  ResumeEntry,
  RunAgentInput,
} from '../../protocol/index.ts';
import {
  createApplier,
  createChunkExpander,
  createEventReader,
  createVerifier,
  EventType,
  InterruptReason,
  interruptsOf,
  PROTOCOL_VERSION,
} from '../../protocol/index.ts';
import type { HostAgent, Reconciled } from '../agents/host-agent.ts';
import type { EventLog } from './event-log.ts';
import type { ForeignTurn } from './foreign-turn.ts';
import { readForeignTurn, writeForeignTurn } from './foreign-turn.ts';
import { messageNews } from './message-news.ts';
import { createOpenSpans } from './open-spans.ts';
import { takeEvents } from './take-events.ts';

/** A run of an agent that keeps its own checkpoint. */
export interface ForeignRun {
  readonly agent: HostAgent;
  readonly started: StartedRun;
  readonly conversation: readonly Message[];
  /** What the client sent besides messages and answers. */
  readonly input: RunAgentInput;
  readonly log: EventLog;
  readonly context: AgentContext;
  readonly cancelSignal: AbortSignal;
  readonly vault: Vault | undefined;
  /** Answers with their secrets in their places, at the moment they are handed over. */
  readonly opened: (answers: readonly ResumeEntry[]) => Promise<readonly ResumeEntry[]>;
  readonly newId: IdGenerator;
  /** Ids that questions of this thread already had. */
  readonly usedIds: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onError: (error: unknown) => void;
}

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

type HandOver =
  | { readonly type: 'hand-over'; readonly entries: readonly ResumeEntry[] }
  | { readonly type: 'ask'; readonly entries: readonly ResumeEntry[] }
  /** A person said that they were taken: there is nothing more to do. */
  | { readonly type: 'drop' };

/** Answers of a run that was lost may have reached the agent: only those are handed over again of which it says that they may be. */
async function answersToHandOver(run: ForeignRun, turn: ForeignTurn): Promise<HandOver> {
  const { answers, claimed, recovers } = run.started;
  if (turn.inDoubt !== undefined && !recovers) {
    const [decision] = answers;
    const payload: unknown = decision?.payload;
    const action =
      decision?.status === 'cancelled' ? 'abort' : isRecord(payload) ? payload['action'] : 'abort';
    return action === 'retry' ? { type: 'hand-over', entries: turn.inDoubt } : { type: 'drop' };
  }
  const entries = turn.inDoubt ?? answers;
  if (!recovers || entries.length === 0) return { type: 'hand-over', entries };
  // The second doubt about the same answers is again for a person: what they decided may have been done.
  if (turn.inDoubt !== undefined) return { type: 'ask', entries };
  const states = await Promise.all(
    claimed.map(({ interrupt }) =>
      reconcile(run, { ...interrupt, id: turn.names[interrupt.id] ?? interrupt.id }),
    ),
  );
  return states.every((state) => state === 'waiting' || state === 'taken')
    ? { type: 'hand-over', entries }
    : { type: 'ask', entries };
}

/** An agent that cannot say what became of an answer does not know. */
async function reconcile({ agent, started, onError }: ForeignRun, interrupt: Interrupt): Promise<Reconciled> {
  try {
    return (await agent.reconcile?.(interrupt, started.lease.key)) ?? 'unknown';
  } catch (error) {
    onError(error);
    return 'unknown';
  }
}

/** What a foreign agent has said so far, and what it comes to. */
function createSpeech({ log, conversation, started, input }: ForeignRun) {
  const verifier = createVerifier();
  const spans = createOpenSpans();
  const messages = [...conversation, ...(started.input as unknown as readonly Message[])];
  const applier = createApplier({ messages, state: started.state });
  let isOver = false;
  const put = (event: AgentStreamEvent) => {
    verifier.check(event);
    spans.saw(event);
    applier.apply(event);
    log.write(event);
    isOver = event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR;
  };
  const { threadId, runId } = input;
  put({ type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION });
  return {
    put,
    closing: () => (isOver ? [] : spans.closing()),
    get isOver() {
      return isOver;
    },
    applier,
    kept: (): Pick<EndRun, 'messages' | 'state' | 'inputTaken'> => ({
      messages: toLog(messageNews(conversation, applier.messages)),
      state: applier.state as JsonValue,
      inputTaken: true,
    }),
  };
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
    for (const one of reader.read(asJson(raw))) {
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
      await end(run, speech, last);
      return;
    }
    if (last?.type === EventType.RUN_ERROR) {
      for (const open of speech.closing()) speech.put(open);
      speech.put(last);
      const error = { code: last.code ?? 'INTERNAL', message: last.message };
      await session.end({ outcome: 'error', error, ...speech.kept() });
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
    const code = HoldpointError.is(error) && error.code !== 'INTERNAL' ? 'PROTOCOL_UNSUPPORTED' : 'INTERNAL';
    const message =
      code === 'INTERNAL' ? 'The agent failed.' : `The agent broke the protocol: ${messageOf(error)}`;
    log.write({ type: EventType.RUN_ERROR, message, code });
    await session.end({ outcome: 'error', error: { code, message }, ...speech.kept() });
  }
}

/** Events that come by the thousand, and usually have nothing but texts in them. */
const PLAIN: ReadonlySet<unknown> = new Set<unknown>([
  EventType.TEXT_MESSAGE_START,
  EventType.TEXT_MESSAGE_CONTENT,
  EventType.TEXT_MESSAGE_END,
  EventType.TOOL_CALL_START,
  EventType.TOOL_CALL_ARGS,
  EventType.TOOL_CALL_END,
]);

/** What an agent gave as it is kept: a copy, since it may go on with what it gave. Throws for what is no JSON. */
function asJson(event: unknown): unknown {
  if (!isRecord(event)) return event;
  if (PLAIN.has(event['type']) && Object.values(event).every(isPlain)) return { ...event };
  const text: string | undefined = JSON.stringify(event);
  return text === undefined ? event : JSON.parse(text);
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || value === undefined;
}

type FinishedEvent = Extract<AgentStreamEvent, { type: EventType.RUN_FINISHED }>;
type LastEvent = Extract<AgentStreamEvent, { type: EventType.RUN_FINISHED | EventType.RUN_ERROR }>;

/** The agent's own end: its questions are published under ids that the thread has not seen. */
async function end(
  run: ForeignRun,
  speech: ReturnType<typeof createSpeech>,
  event: FinishedEvent,
): Promise<void> {
  const { input, log, newId } = run;
  const { threadId, runId } = input;
  const asked = interruptsOf(event);
  if (asked.length === 0) {
    const { interrupt: _none, ...rest } = event as FinishedEvent & { interrupt?: unknown };
    speech.put({ ...rest, threadId, runId });
    const outcome = event.outcome?.type === 'cancelled' ? 'cancelled' : 'success';
    await log.session.end({ outcome, turn: null, ...speech.kept() });
    return;
  }
  const used = await run.usedIds(asked.map(({ id }) => id));
  const names: Record<string, string> = {};
  const interrupts = asked.map((interrupt): Interrupt => {
    if (interrupt.id !== '' && !used.has(interrupt.id)) return interrupt;
    const id = newId();
    names[id] = interrupt.id;
    return { ...interrupt, id };
  });
  speech.put({ type: EventType.STATE_SNAPSHOT, snapshot: speech.applier.state });
  speech.put({ type: EventType.MESSAGES_SNAPSHOT, messages: [...speech.applier.messages] });
  speech.put({ ...event, threadId, runId, outcome: { type: 'interrupt', interrupts } });
  await log.session.end({
    outcome: 'interrupt',
    turn: writeForeignTurn({ names }),
    questions: interrupts.map((interrupt) => ({ interrupt })),
    batch: newId(),
    vault: run.vault,
    ...speech.kept(),
  });
}

/** Nobody knows whether the agent got the answers: a person says whether they are handed over again. */
async function askWhetherHandedOver(run: ForeignRun, entries: readonly ResumeEntry[]): Promise<void> {
  const { agent, input, log, newId, started } = run;
  const speech = createSpeech(run);
  const { names } = readForeignTurn(started.turn);
  const interrupt: Interrupt = {
    id: newId(),
    reason: InterruptReason.ErrorRecovery,
    message: `The process ended while ${agent.name ?? agent.id} was given an answer. Nobody knows whether it got it. Was it taken?`,
    responseSchema: { ...recoveryResponseSchema({ actions: ['finished', 'retry', 'abort'] }) },
    metadata: { code: 'RUN_LOST', interruptIds: entries.map(({ interruptId }) => interruptId) },
  };
  const { threadId, runId } = input;
  speech.put({ type: EventType.STATE_SNAPSHOT, snapshot: speech.applier.state });
  speech.put({ type: EventType.MESSAGES_SNAPSHOT, messages: [...speech.applier.messages] });
  speech.put({
    type: EventType.RUN_FINISHED,
    threadId,
    runId,
    outcome: { type: 'interrupt', interrupts: [interrupt] },
  });
  await log.session.end({
    outcome: 'interrupt',
    turn: writeForeignTurn({ names, inDoubt: entries }),
    questions: [{ interrupt }],
    batch: newId(),
    vault: run.vault,
    ...speech.kept(),
  });
}

async function finishQuietly(run: ForeignRun): Promise<void> {
  const speech = createSpeech(run);
  const { threadId, runId } = run.input;
  speech.put({ type: EventType.RUN_FINISHED, threadId, runId, outcome: { type: 'success' } });
  await run.log.session.end({ outcome: 'success', turn: null, ...speech.kept() });
}
