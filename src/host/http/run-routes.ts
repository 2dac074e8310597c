import type { Context, Hono } from 'hono';
import type { Approvers } from '../../content/interrupts/index.ts';
import type { ErrorCode, UnknownRecord } from '../../core/index.ts';
import { defined, HoldpointError, isRecord, jsonOrText, parseUniqueJson } from '../../core/index.ts';
import type { Access, NoRun, Principal } from '../../ledger/index.ts';
import {
  adoptInterrupts,
  isThreadAtWork,
  readInterrupt,
  readThread,
  threadName,
} from '../../ledger/index.ts';
import type { AgentStreamEvent, DialectName, RunAgentInput } from '../../protocol/index.ts';
import { createEmitter, decodeInput, ERROR_FOLLOWS, EventType, isRunFinished } from '../../protocol/index.ts';
import type { HostAgent, LiveRun, PlacedEvent } from '../../runs/index.ts';
import {
  asIsEvents,
  assertForeignSchemas,
  contentId,
  endsRun,
  fitCommandAnswers,
  followRun,
  joinThread,
  nameByParentRun,
  publishInterrupts,
  readThreadAsIs,
  writeForeignTurn,
} from '../../runs/index.ts';
import type { HostEnv } from '../host-options.ts';
import type { HostParts } from '../host-parts.ts';
import { agentNamed, checkedId } from '../host-parts.ts';
import { isLedgerRefusal } from './errors.ts';
import type { BodySource } from './read-json.ts';
import { readJson } from './read-json.ts';
import type { EventEncoder } from './stream-response.ts';
import { createEventEncoder, dialectFor, hasBinary, hostStream, negotiateForm } from './stream-response.ts';

/** A parsed run request. */
export interface RunCall {
  readonly request: Request;
  readonly agent: HostAgent;
  readonly principal: Principal;
  readonly input: RunAgentInput;
  readonly dialect: DialectName;
  readonly encoder: EventEncoder;
  /** Whether the form of the response lacks events. Then a snapshot at the end has their messages. */
  readonly needsSnapshots: boolean;
  /** Called when the response has ended. */
  readonly onEnd: () => void;
}

/** The permissions of the caller of a run. */
interface RunRights {
  readonly begin: Access<'run' | 'answer'>;
  /** For the response, which shows the thread. */
  readonly show: Access<'read' | 'run'>;
}

const MAX_MESSAGES = 5000;
const BODY_BYTES = 1024 * 1024;
/** An object with more members, or with a longer name, is not a map of answers by id. */
const MAX_ANSWERS = 100;
const MAX_ID = 256;

/** `POST /agents/:agent`, `…/chat/stream` and `…/connect`. */
export function addRunRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  for (const path of ['/agents/:agent', '/agents/:agent/chat/stream']) {
    app.post(path, async (context) => {
      const call = await readCall(parts, context, context.req.param('agent') ?? '');
      return serveRun(parts, call);
    });
  }
  app.post('/agents/:agent/connect', async (context) => {
    const call = await readCall(parts, context, context.req.param('agent'));
    return serveThread(parts, call);
  });
}

/** Starts a run and returns its events, or the error. Every run over HTTP starts here. */
export async function serveRun(parts: HostParts, call: RunCall): Promise<Response> {
  try {
    const rights = await rightsOf(parts, call);
    return respond(parts, { ...call, ...rights }, await begin(parts, { ...call, ...rights }));
  } catch (error) {
    if (isLedgerRefusal(error)) {
      parts.metrics?.refused(error.code, call.agent.id);
      if (error.code === 'INTERRUPT_CONFLICT') parts.metrics?.claimLost();
      return await refuse(parts, call, error);
    }
    call.onEnd();
    throw error;
  }
}

/** The response that shows a thread as it is, and follows its active run. */
export async function serveThread(parts: HostParts, call: RunCall): Promise<Response> {
  try {
    const place = { thread: call.input.threadId, agent: call.agent.id };
    const show = await parts.gate.checkThread(call.principal, 'read', place);
    return send(parts, { ...call, show }, connect(parts, { ...call, show }));
  } catch (error) {
    call.onEnd();
    throw error;
  }
}

async function readCall(parts: HostParts, context: Context<HostEnv>, idOrAlias: string): Promise<RunCall> {
  const request = context.req.raw;
  const principal = context.get('principal');
  const agent = agentNamed(parts, idOrAlias);
  const accept = request.headers.get('accept');
  negotiateForm(accept);
  const expected = dialectFor(request, agent, parts.options);
  const raw = await readRunBody(parts, context);
  const interruptIds = await answeredIds(raw, principal, parts);
  const { input: sent, dialect } = decodeInput(raw, expected, { interruptIds });
  checkInput(parts, sent);
  const input = dialect === 'command' ? await commandInput(sent, principal, parts) : sent;
  // The version of a client says which events it can read.
  const isEarlier = input.protocolVersion === undefined;
  const reader = isEarlier ? '0.0' : '1.0';
  const form = negotiateForm(accept, { binary: hasBinary(dialect, reader) });
  const encoder = createEventEncoder(form, dialect, reader);
  const needsSnapshots = isEarlier && form === 'binary';
  const onEnd = parts.streams.open(principal);
  return { request, agent, principal, input, dialect, encoder, needsSnapshots, onEnd };
}

/** The body of a run request. Throws `TOO_LARGE` and `INPUT_INVALID`. */
export function readRunBody({ options }: HostParts, source: BodySource): Promise<unknown> {
  const { bodyBytes = BODY_BYTES, json } = options.limits ?? {};
  return readJson(source, { bytes: bodyBytes, json });
}

/** Throws `INPUT_INVALID` for an unusable id, `TOO_LARGE` for too many messages. */
export function checkInput({ options }: HostParts, { threadId, runId, messages }: RunAgentInput): void {
  checkedId(threadId, 'threadId');
  checkedId(runId, 'runId');
  const { messages: most = MAX_MESSAGES } = options.limits ?? {};
  if (messages.length > most)
    throw new HoldpointError('TOO_LARGE', `An input carries at most ${most} messages.`);
}

/**
 * The members of an answer in the command form that are interrupt ids of its thread. Throws `INPUT_INVALID` for a JSON text
 * of answers with a repeated member.
 */
async function answeredIds(raw: unknown, principal: Principal, { gate }: HostParts): Promise<string[]> {
  const props: unknown = isRecord(raw) ? (raw['forwardedProps'] ?? raw['forwarded_props']) : undefined;
  const thread: unknown = isRecord(raw) ? (raw['threadId'] ?? raw['thread_id']) : undefined;
  const command: unknown = isRecord(props) ? props['command'] : undefined;
  if (!isRecord(command) || typeof thread !== 'string') return [];
  const answer = objectIn(command['resume']);
  if (answer === undefined) return [];
  const ids = Object.keys(answer);
  if (ids.length > MAX_ANSWERS || ids.some((id) => id.length > MAX_ID)) return [];
  return unlessRefused([], async () => {
    const access = await gate.checkThread(principal, 'read', { thread: checkedId(thread, 'threadId') });
    const found = await Promise.all(ids.map((id) => readInterrupt(access, id)));
    const known = ids.filter((_id, index) => found[index] !== undefined);
    // Two readers of a map with a repeated member may read two answers.
    if (known.length > 0 && typeof command['resume'] === 'string') parseUniqueJson(command['resume']);
    return known;
  });
}

/** An object, or the object of a JSON text; undefined for other values. */
function objectIn(value: unknown): UnknownRecord | undefined {
  const parsed = typeof value === 'string' ? jsonOrText(value) : value;
  return isRecord(parsed) ? parsed : undefined;
}

/** An input in the command form with the ids of its interrupts and values that fit, if the caller may read the thread. */
function commandInput(
  input: RunAgentInput,
  principal: Principal,
  { gate }: HostParts,
): Promise<RunAgentInput> {
  const { threadId: thread, resume = [] } = input;
  if (resume.length === 0) return Promise.resolve(input);
  return unlessRefused(input, async () => {
    const access = await gate.checkThread(principal, 'read', { thread });
    return fitCommandAnswers(access, await nameByParentRun(access, input));
  });
}

/** A caller who may not read the thread learns no ids; the run is rejected after its input is read. */
export async function unlessRefused<Result>(refused: Result, look: () => Promise<Result>): Promise<Result> {
  try {
    return await look();
  } catch (error) {
    if (HoldpointError.is(error, 'FORBIDDEN') || HoldpointError.is(error, 'THREAD_UNKNOWN')) return refused;
    throw error;
  }
}

/**
 * The permissions of the caller: `run`, or `answer` for each named interrupt, and `read`. Throws `FORBIDDEN`,
 * `ANSWER_FORBIDDEN` or `INTERRUPT_UNKNOWN`.
 */
async function rightsOf({ gate }: HostParts, { agent, principal, input }: RunCall): Promise<RunRights> {
  const place = { thread: input.threadId, agent: agent.id };
  const resume = input.resume ?? [];
  const interruptIds = resume.map(({ interruptId }) => interruptId);
  if (interruptIds.length === 0) {
    const access = await gate.checkThread(principal, 'run', place);
    return { begin: access, show: access };
  }
  const cancelledIds = resume.flatMap(({ interruptId, status }) =>
    status === 'cancelled' ? [interruptId] : [],
  );
  const access = await gate.checkAnswers(principal, { ...place, interruptIds, cancelledIds });
  const show = await gate.checkThread(principal, 'read', place).catch((error: unknown) => {
    if (!HoldpointError.is(error, 'FORBIDDEN')) throw error;
    const sentence = `${principal.id} may answer this interrupt but not read its thread. Answer in the inbox.`;
    throw new HoldpointError('FORBIDDEN', sentence);
  });
  return { begin: access, show };
}

function begin(
  { runs, options }: HostParts,
  { agent, input, dialect, begin: access }: RunCall & RunRights,
): Promise<LiveRun | NoRun> {
  // These dialects show one interrupt of a batch at a time.
  const asksOne = dialect === 'draft' || dialect === 'command';
  const uncovered = asksOne ? 'reinterrupt' : options.interrupts?.uncovered;
  return runs.start({ access, agent, input, ...defined({ uncovered }) });
}

function respond(parts: HostParts, call: RunCall & RunRights, started: LiveRun | NoRun): Response {
  switch (started.type) {
    case 'started': {
      const cancels = parts.options.onDisconnect === 'cancel';
      const given = { after: started.eventsBefore, done: started.done };
      const onCancel = () => {
        if (cancels) started.cancel();
      };
      return send(parts, { ...call, onCancel }, (signal) =>
        followRun(parts.feed, call.show, { ...given, signal }),
      );
    }
    case 'follow':
      return send(parts, call, followActive(parts, call, started.runId));
    default:
      return send(parts, call, connect(parts, call));
  }
}

/** The active run of a thread, from its start; the current thread if the run has ended meanwhile. */
function followActive(parts: HostParts, call: ShownCall, runId: string): Pieces {
  const { show } = call;
  return async function* (signal) {
    const active = (await readThread(show))?.active;
    if (active?.runId !== runId) {
      yield* connect(parts, call)(signal);
      return;
    }
    const live = parts.runs.live.get(threadName(show.key));
    const done = live?.runId === runId ? live.done : undefined;
    yield* followRun(parts.feed, show, { after: active.eventsBefore, signal, done });
  };
}

type ShownCall = RunCall & Pick<RunRights, 'show'>;

type Pieces = (signal: AbortSignal) => AsyncIterable<readonly PlacedEvent[]>;

/** The current thread, followed by the events of its active run. */
function connect(parts: HostParts, call: ShownCall): Pieces {
  const { show, input } = call;
  return async function* (signal) {
    await adoptPending(parts, call);
    const { asIs, from, isShown } = await joinThread(show);
    // The id of the last frame is the position in the log, so that a watcher can continue from there.
    yield asIsEvents(input, asIs).map((event) => (endsRun(event) ? { event, place: from } : { event }));
    if (!(await isThreadAtWork(show, asIs.thread))) return;
    for await (const events of followRun(parts.feed, show, { after: from, signal })) {
      yield events.filter(({ event, place = 0 }) => !isShown(event, place));
    }
  };
}

/** Adopts the interrupts that the agent holds open and the ledger does not know. */
async function adoptPending(parts: HostParts, { agent, show }: ShownCall): Promise<void> {
  const { newId, logger, notify, options } = parts;
  const { key } = show;
  if (agent.pending === undefined) return;
  try {
    const pending = await agent.pending(key);
    await assertForeignSchemas(pending);
    const { interrupts, names } = publishInterrupts(pending, { isUsed: () => false, newId: contentId });
    const batch = newId();
    const turn = writeForeignTurn({ names });
    const approvers = new Map<string, Approvers>();
    for (const interrupt of interrupts) {
      const found = await options.interrupts?.approvers?.(interrupt, agent.id);
      if (found !== undefined) approvers.set(interrupt.id, found);
    }
    const isNew = await adoptInterrupts(show, { agent: agent.id, interrupts, batch, approvers, turn });
    if (isNew) notify(key, (record) => record.batch === batch);
  } catch (error) {
    logger.warn({ err: error, thread: key.thread }, 'What the agent holds open could not be read.');
  }
}

/** Errors of a page that shows an earlier thread. The thread comes first, so that the page drops its card. */
const SHOWS_THREAD: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['INTERRUPT_CONFLICT', 'INTERRUPT_EXPIRED']);

/** The response to a run that the ledger rejected: the error, after the thread if the caller may read it. */
async function refuse(parts: HostParts, call: RunCall, error: HoldpointError): Promise<Response> {
  const { principal, input, agent } = call;
  call.encoder.refused?.();
  const failed = { event: refusal(call, error) };
  const show = SHOWS_THREAD.has(error.code)
    ? await unlessRefused(undefined, () =>
        parts.gate.checkThread(principal, 'read', { thread: input.threadId, agent: agent.id }),
      )
    : undefined;
  if (show === undefined)
    return send(parts, call, async function* () {
      yield [failed];
    });
  return send(parts, { ...call, show }, async function* () {
    const { asIs, from } = await joinThread(show);
    const shown = asIsEvents(input, asIs).map((event) =>
      isRunFinished(event)
        ? { event: { ...event, metadata: { [ERROR_FOLLOWS]: true } }, place: from }
        : { event },
    );
    yield [...shown, failed];
  });
}

/** The error of a run that the ledger rejected. */
function refusal({ input }: RunCall, error: HoldpointError): AgentStreamEvent {
  const events: AgentStreamEvent[] = [];
  const { threadId, runId } = input;
  const emitter = createEmitter({ threadId, runId, write: (event) => events.push(event) });
  emitter.fail(error.message, {
    code: error.code,
    ...(error.details === undefined && error.issues.length === 0
      ? {}
      : { metadata: { ...error.details, ...(error.issues.length === 0 ? {} : { issues: error.issues }) } }),
  });
  const [, failed] = events;
  if (failed === undefined) throw error;
  return failed;
}

/** Adds the messages of the thread before the end of each run. */
async function* withSnapshots(
  pieces: AsyncIterable<readonly PlacedEvent[]>,
  show: Access<'read' | 'run'>,
): AsyncGenerator<readonly PlacedEvent[], void, undefined> {
  for await (const events of pieces) {
    const end = events.findIndex(({ event }) => isRunFinished(event));
    if (end === -1 || events[end - 1]?.event.type === EventType.MESSAGES_SNAPSHOT) {
      yield events;
      continue;
    }
    const { messages } = await readThreadAsIs(show);
    const event: AgentStreamEvent = { type: EventType.MESSAGES_SNAPSHOT, messages: [...messages] };
    yield [...events.slice(0, end), { event }, ...events.slice(end)];
  }
}

function send(
  parts: HostParts,
  call: Pick<RunCall, 'request' | 'encoder' | 'needsSnapshots' | 'onEnd'> &
    Partial<RunRights> & { readonly onCancel?: () => void },
  pieces: Pieces,
): Response {
  const { request, encoder, needsSnapshots, show, onCancel, onEnd } = call;
  const { contentType, headers } = encoder;
  const { stopping } = parts.streams;
  const stream = { request, access: show, stopping, contentType, headers, onCancel, onEnd };
  return hostStream(parts, stream, async function* (signal) {
    const readToEnd = parts.streams.read();
    try {
      const all = pieces(signal);
      const whole = needsSnapshots && show !== undefined ? withSnapshots(all, show) : all;
      for await (const events of whole) yield* encoder.encode(events);
      if (encoder.end !== undefined) yield encoder.end();
    } finally {
      readToEnd();
    }
  });
}
