import type { ErrorCode, JsonValue } from '../core/index.ts';
import { abortAfter, defined, HoldpointError, isRecord, publicMessage } from '../core/index.ts';
import type { AgentContext, DeliveryReport, DoubtDecision } from '../engine/index.ts';
import type { EndRun, RunFailure } from '../ledger/index.ts';
import type { AgentStreamEvent, Interrupt, ResumeEntry, RunAgentInput } from '../protocol/index.ts';
import {
  createChunkExpander,
  createEventReader,
  dialectNamed,
  ERROR_FOLLOWS,
  EventType,
  interruptsOf,
} from '../protocol/index.ts';
import { decideShownCalls, denyForbidden } from './decide-shown-calls.ts';
import { askWhetherHandedOver, endForeign, finishQuietly } from './end-foreign.ts';
import type { ForeignOutput, ForeignRun } from './foreign-output.ts';
import { createOutput } from './foreign-output.ts';
import type { ForeignTurn } from './foreign-turn.ts';
import { readForeignTurn } from './foreign-turn.ts';
import type { Reconciled } from './host-agent.ts';

type LastEvent = Extract<AgentStreamEvent, { type: EventType.RUN_FINISHED | EventType.RUN_ERROR }>;

/**
 * Runs a foreign agent: reads, verifies, stores and emits its events, raises its interrupts in the ledger, and sends
 * it each answer once. If it is unknown whether the agent got an answer, asks a person.
 */
export async function runForeign(run: ForeignRun): Promise<void> {
  const turn = readForeignTurn(run.claim.turn);
  const answers = await answersToHandOver(run, turn);
  if (answers.type === 'ask') return askWhetherHandedOver(run, createOutput(run), answers.entries);
  if (answers.type === 'drop') return finishQuietly(run);
  if (answers.type === 'release') return endFailed(run, createOutput(run), { ...HELD, report: HELD_REPORT });
  await speak(run, turn, answers);
}

/** The answers of a lost run were not delivered, and the user has sent new messages since. */
const HELD = {
  code: 'INTERRUPTS_PENDING',
  message:
    'The answer was not delivered before the new message came. It is open again; the message follows the next answer.',
};
const HELD_REPORT: DeliveryReport = { status: 'open', reason: HELD.message };

async function speak(
  run: ForeignRun,
  turn: ForeignTurn,
  { entries: answers, decision }: Extract<HandOver, { type: 'hand-over' }>,
): Promise<void> {
  const { agent, claim, session, input, cancelSignal } = run;
  const output = createOutput(run);
  const { threadId, runId } = input;
  const opened = await run.opened(answers);
  const { entries, denied } =
    decision === undefined ? await denyForbidden(run, opened) : { entries: opened, denied: [] };
  const resume = entries.map((entry) => ({
    ...entry,
    interruptId: turn.names[entry.interruptId] ?? entry.interruptId,
  }));
  if (resume.length > 0) resume.push(...(turn.decided ?? []));
  const { resume: _replaced, ...rest } = input;
  const { stopMs = 0 } = agent;
  const stopping = abortAfter(cancelSignal, stopMs);
  const stopped = stopMs > 0 ? stopping.signal : cancelSignal;
  const cancelled = async () => {
    for (const event of output.closing()) output.put(event);
    output.put({ type: EventType.RUN_FINISHED, threadId, runId, outcome: { type: 'cancelled' } });
    await session.end({ outcome: 'cancelled', turn: null, ...output.kept() });
  };
  const said: { last?: LastEvent | undefined; isDraft?: boolean; report?: DeliveryReport | undefined } = {};
  // TypeScript does not see that a call changes it.
  const ended = () => said.last;
  let characters = 0;
  /** Runs the agent once. */
  const ask = async (given: RunAgentInput, facts: AgentContext, isDraft: boolean) => {
    const stop = new AbortController();
    const signal = AbortSignal.any([session.signal, stopped, stop.signal]);
    const reader = createEventReader();
    const expand = createChunkExpander();
    said.last = undefined;
    said.report = undefined;
    const context: AgentContext = {
      ...run.context,
      ...facts,
      signal,
      ...(stopMs > 0 ? { stopSignal: cancelSignal } : {}),
      onDelivery(report) {
        said.report = report;
      },
    };
    const take = (raw: unknown): boolean => {
      const { copy, length } = copyEvent(raw);
      characters += length;
      if (characters > run.maxCharacters)
        throw new HoldpointError('TOO_LARGE', `The run has more than ${run.maxCharacters} characters.`);
      for (const one of reader.read(copy)) {
        for (const event of expand(one)) {
          if (event.type === EventType.RUN_STARTED || announcesError(event)) continue;
          if (event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR) {
            said.last = event;
            said.isDraft = isRecord(raw) && dialectNamed('draft').ownsEvent(raw);
            return false;
          }
          output.put(event);
        }
      }
      return true;
    };
    const sent = isDraft && given.resume?.length === 1 ? inDraft(given) : given;
    await takeEvents(agent.agent.run(sent, context), signal, take);
    session.signal.throwIfAborted();
    if (ended()?.type === EventType.RUN_FINISHED) stop.abort();
  };
  /** The interrupts whose calls failed, by the agent's ids, and those that the host has answered. */
  const failed = new Set<string>();
  const answered = new Set<string>();
  /** After its first end, the agent has the answers of people. */
  const reportOr = (report: DeliveryReport | undefined): DeliveryReport | undefined =>
    answered.size > 0 ? { status: 'taken', failed: [...failed] } : (said.report ?? report);
  const failedNow = () => new Set([...denied, ...failedOf(run, { status: 'taken', failed: [...failed] })]);
  try {
    let given: RunAgentInput = {
      ...rest,
      state: claim.state,
      messages: [...output.applier.messages],
      ...(resume.length === 0 ? {} : { resume }),
    };
    let facts: AgentContext = {
      ...defined({ decision }),
      holdAnswers: claim.recovers && resume.length > 0 && run.newMessages.length > 0,
    };
    let isDraft = turn.dialect === 'draft';
    for (;;) {
      await ask(given, facts, isDraft);
      const { report } = said;
      const last = ended();
      if (last?.type !== EventType.RUN_FINISHED) break;
      if (report?.status === 'taken') for (const id of report.failed ?? []) failed.add(id);
      isDraft = said.isDraft === true;
      const interrupts = interruptsOf(last);
      const decided = await decideShownCalls(run, interrupts, answered);
      if (decided.asked.length > 0 || decided.answers.length === 0) {
        await endForeign(run, output, { event: last, isDraft, failed: failedNow(), decided });
        return;
      }
      // The host has answered everything: the agent goes on at once.
      if (answered.size >= MOST_ANSWERED)
        throw new HoldpointError('MAX_TURNS', `The agent asked for ${answered.size} calls that are denied.`);
      for (const { interruptId } of decided.answers) answered.add(interruptId);
      const { messages, state } = output.applier;
      given = { ...rest, runId: run.newId(), state, messages: [...messages], resume: [...decided.answers] };
      facts = { recovers: false, openInterrupts: interrupts, answeredBy: undefined, isWithdrawn: undefined };
    }
    const last = ended();
    if (last?.type === EventType.RUN_ERROR) {
      const { code = 'INTERNAL', message } = last;
      // The agent rejected the answer, so it still waits.
      const rejected = code === 'ANSWER_INVALID' ? ({ status: 'open', reason: message } as const) : undefined;
      await endFailed(run, output, { code, message, report: reportOr(rejected), answers, event: last });
      return;
    }
    if (!cancelSignal.aborted)
      throw new HoldpointError('INTERNAL', `The agent ${agent.id} stopped without an end.`);
    await cancelled();
  } catch (error) {
    if (session.signal.aborted) throw session.signal.reason;
    // Most agents throw when they are aborted.
    if (cancelSignal.aborted && !output.isOver) return await cancelled();
    run.onError(error);
    const { code, message } = failureOf(error);
    // The agent could not be reached, so it has no answer.
    const unsent =
      code === 'UNAVAILABLE' ? ({ status: 'open', reason: message, retry: true } as const) : undefined;
    await endFailed(run, output, { code, message, report: reportOr(unsent), answers });
  } finally {
    stopping.clear();
  }
}

/** Calls that a host answers in one run by itself; an agent may ask for a denied call again and again. */
const MOST_ANSWERED = 50;

interface FailedRun extends RunFailure {
  readonly report: DeliveryReport | undefined;
  readonly answers?: readonly ResumeEntry[];
  /** The agent's own error event. */
  readonly event?: AgentStreamEvent;
}

/** Ends a failed run as its agent reports: interrupts are open again, closed or settled, or a person is asked. */
async function endFailed(
  run: ForeignRun,
  output: ForeignOutput,
  { code, message, report, answers = [], event }: FailedRun,
): Promise<void> {
  for (const open of output.closing()) output.put(open);
  if (report?.status === 'unknown')
    return askWhetherHandedOver(run, output, report.isMessage === true ? [] : answers);
  // Not verified: an agent that broke the protocol still gets its error.
  run.emit(event ?? { type: EventType.RUN_ERROR, message, code });
  await run.session.end({
    outcome: 'error',
    error: { code, message },
    ...endOf(report),
    failed: failedOf(run, report),
    ...output.kept(),
  });
}

/** Our ids of the answered interrupts whose calls failed, as the agent reports. */
function failedOf({ claim }: ForeignRun, report: DeliveryReport | undefined): ReadonlySet<string> {
  const reported = new Set(report?.status === 'taken' ? report.failed : []);
  const { names } = readForeignTurn(claim.turn);
  const isFailed = (id: string) => reported.has(names[id] ?? id);
  return new Set(
    claim.claimed.flatMap(({ interrupt: { id, metadata } }) => {
      // A person had the answers in doubt sent again.
      const before: unknown = metadata?.['interruptIds'];
      return isFailed(id) || (Array.isArray(before) && before.some((one) => isFailed(String(one))))
        ? [id]
        : [];
    }),
  );
}

function endOf(report: Exclude<DeliveryReport, { status: 'unknown' }> | undefined): Partial<EndRun> {
  switch (report?.status) {
    case 'open':
      return { release: { reason: report.reason, retry: report.retry === true } };
    case 'closed':
      return { closed: { reason: report.reason }, turn: null };
    case 'taken':
      return { closed: {}, turn: null };
    case undefined:
      return {};
  }
}

/** Whether an event is the last one of the thread that a server shows before it rejects a run. */
function announcesError(event: AgentStreamEvent): boolean {
  return event.type === EventType.RUN_FINISHED && event.metadata?.[ERROR_FOLLOWS] === true;
}

/** The input of an agent that asked in the draft: its types are those of AG-UI 1.0, its answer has the form of the draft. */
function inDraft(input: RunAgentInput): RunAgentInput {
  return dialectNamed('draft').encodeInput(input) as unknown as RunAgentInput;
}

/** Codes of errors that an adapter throws for its framework. */
const REPORTED: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'RATE_LIMITED',
  'MODEL_FAILED',
  'TOOL_FAILED',
  'MAX_TURNS',
]);

/** The error that a client sees when the agent throws. */
function failureOf(error: unknown): RunFailure {
  if (HoldpointError.is(error) && REPORTED.has(error.code))
    return { code: error.code, message: publicMessage(error) };
  if (!HoldpointError.is(error) || error.code === 'INTERNAL') {
    return { code: 'INTERNAL', message: 'The agent failed.' };
  }
  return { code: 'PROTOCOL_UNSUPPORTED', message: `The agent broke the protocol: ${publicMessage(error)}` };
}

/** The way to handle the answers of a run. */
export type HandOver =
  | {
      readonly type: 'hand-over';
      readonly entries: readonly ResumeEntry[];
      /** A person decided about them. */
      readonly decision?: DoubtDecision;
    }
  | { readonly type: 'ask'; readonly entries: readonly ResumeEntry[] }
  /** The agent does not have the answers, and new messages came since: the interrupts are open again. */
  | { readonly type: 'release' }
  /** A person decided that the agent has the answers: nothing is left to do. */
  | { readonly type: 'drop' };

/**
 * Decides about the answers of a lost run, which the agent may have received. Sends them again only if the agent says so. An
 * agent with `takesUp` decides by itself.
 */
export async function answersToHandOver(run: ForeignRun, turn: ForeignTurn): Promise<HandOver> {
  const { answers, claimed, recovers } = run.claim;
  if (turn.inDoubt !== undefined && !recovers) {
    const decision = decisionIn(answers[0]);
    if (decision === 'retry') return { type: 'hand-over', entries: turn.inDoubt };
    const takes = run.agent.takesDecision === true && turn.inDoubt.length > 0;
    return takes ? { type: 'hand-over', entries: turn.inDoubt, decision } : { type: 'drop' };
  }
  const entries = turn.inDoubt ?? answers;
  if (!recovers || run.agent.takesUp === true || entries.length === 0) return { type: 'hand-over', entries };
  // A second doubt about the same answers goes to a person again, because the first decision may have been carried
  // out.
  if (turn.inDoubt !== undefined) return { type: 'ask', entries };
  const states = await Promise.all(
    claimed.map(({ interrupt }) =>
      reconcile(run, { ...interrupt, id: turn.names[interrupt.id] ?? interrupt.id }),
    ),
  );
  if (run.newMessages.length > 0 && states.every((state) => state === 'waiting')) return { type: 'release' };
  return states.every((state) => state === 'waiting' || state === 'taken')
    ? { type: 'hand-over', entries }
    : { type: 'ask', entries };
}

/** The decision about answers in doubt; a cancelled request ends the turn. */
function decisionIn(entry: ResumeEntry | undefined): DoubtDecision | 'retry' {
  const payload: unknown = entry?.status === 'resolved' ? entry.payload : undefined;
  if (!isRecord(payload)) return { action: 'abort' };
  const { action, result } = payload;
  if (action === 'retry') return action;
  if (action !== 'finished' && action !== 'skip') return { action: 'abort' };
  return { action, ...defined({ result: result as JsonValue | undefined }) };
}

/** An agent that fails to reconcile counts as `unknown`. */
async function reconcile(
  { agent, claim, context, onError }: ForeignRun,
  interrupt: Interrupt,
): Promise<Reconciled> {
  try {
    const { principal } = context;
    return (await agent.reconcile?.(interrupt, claim.lease.key, { principal })) ?? 'unknown';
  } catch (error) {
    onError(error);
    return 'unknown';
  }
}

/** Frequent events that usually contain only text. */
const PLAIN: ReadonlySet<unknown> = new Set<unknown>([
  EventType.TEXT_MESSAGE_START,
  EventType.TEXT_MESSAGE_CONTENT,
  EventType.TEXT_MESSAGE_END,
  EventType.TOOL_CALL_START,
  EventType.TOOL_CALL_ARGS,
  EventType.TOOL_CALL_END,
]);

/** A copy of an event, because the agent may change its object, and its length. Throws for a value that is not JSON. */
function copyEvent(event: unknown): { readonly copy: unknown; readonly length: number } {
  if (!isRecord(event)) return { copy: event, length: 0 };
  const values = Object.values(event);
  if (PLAIN.has(event['type']) && values.every(isPlain))
    return {
      copy: { ...event },
      length: values.reduce<number>((sum, value) => sum + (value?.length ?? 0), 0),
    };
  const text: string | undefined = JSON.stringify(event);
  return text === undefined ? { copy: event, length: 0 } : { copy: JSON.parse(text), length: text.length };
}

function isPlain(value: unknown): value is string | undefined {
  return typeof value === 'string' || value === undefined;
}

/**
 * Passes the events of an agent to `take` until `take` returns false, the events end or the signal aborts; does not
 * wait for an agent that ignores the signal. Throws the errors of the agent and of `take`.
 */
export function takeEvents<Event>(
  events: AsyncIterable<Event>,
  signal: AbortSignal,
  take: (event: Event) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const iterator = events[Symbol.asyncIterator]();
    let isOver = false;
    const leave = () => {
      isOver = true;
      signal.removeEventListener('abort', stop);
      // Not awaited: the agent may never return.
      iterator.return?.().then(undefined, () => undefined);
    };
    const stop = () => {
      leave();
      resolve();
    };
    const fail = (error: unknown) => {
      if (isOver) return;
      leave();
      reject(error);
    };
    // Callbacks instead of a loop with await, which would cost several promises for each event.
    const taken = (result: IteratorResult<Event>) => {
      if (isOver) return;
      try {
        if (result.done === true || !take(result.value)) stop();
        else iterator.next().then(taken, fail);
      } catch (error) {
        fail(error);
      }
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    iterator.next().then(taken, fail);
  });
}
