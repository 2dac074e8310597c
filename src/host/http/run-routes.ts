import type { Hono } from 'hono';
import { HoldpointError, isRecord, linkSignals } from '../../core/index.ts';
import { adoptQuestions, isAtWork, readThread } from '../../ledger/index.ts';
import type { Principal, ThreadKey } from '../../ledger/index.ts';
import type { AgentStreamEvent, DialectName, RunAgentInput } from '../../protocol/index.ts';
import { createEmitter, decodeInput } from '../../protocol/index.ts';
import type { HostAgent } from '../agents/host-agent.ts';
import type { HostParts } from '../host-parts.ts';
import { agentNamed, assertAllowed, checkedId, streamFailure } from '../host-parts.ts';
import type { PlacedEvent } from '../runs/follow-run.ts';
import { endsRun, followRun } from '../runs/follow-run.ts';
import type { Started } from '../runs/run-request.ts';
import { assertForeignSchemas } from '../runs/end-foreign.ts';
import { joinThread } from '../runs/join-thread.ts';
import { contentId, publishInterrupts, writeForeignTurn } from '../runs/foreign-turn.ts';
import { nameByParentRun } from '../runs/name-by-parent-run.ts';
import { asIsEvents } from '../runs/thread-as-is.ts';
import { isLedgerRefusal } from './errors.ts';
import type { EventEncoder } from './event-encoder.ts';
import { createEventEncoder, dialectFor } from './event-encoder.ts';
import type { HostEnv } from './host-env.ts';
import { negotiateForm } from './negotiate.ts';
import { readJson } from './read-json.ts';
import { streamResponse } from './stream-response.ts';

/** What a request for a run says, once it was read and may be served. */
interface RunCall {
  readonly agent: HostAgent;
  readonly principal: Principal;
  readonly key: ThreadKey;
  readonly input: RunAgentInput;
  readonly dialect: DialectName;
  readonly encoder: EventEncoder;
  /** To be called when what is sent is over. */
  readonly onEnd: () => void;
}

const MAX_MESSAGES = 5000;
const BODY_BYTES = 1024 * 1024;
/** An object with more members, or a longer name, is no map of answers by id. */
const MAX_ANSWERS = 100;
const MAX_ID = 256;

/** `POST /agents/:agent`, `…/chat/stream` and `…/connect`. */
export function addRunRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  for (const path of ['/agents/:agent', '/agents/:agent/chat/stream']) {
    app.post(path, async (context) => {
      const call = await readCall(parts, context.req.raw, {
        agent: context.req.param('agent') ?? '',
        principal: context.get('principal'),
        action: 'run',
      });
      try {
        return respond(parts, call, await begin(parts, call));
      } catch (error) {
        if (isLedgerRefusal(error)) {
          parts.metrics.refused(error.code, call.agent.id);
          if (error.code === 'INTERRUPT_CONFLICT') parts.metrics.claimLost();
          return send(parts, call, once([refusal(call, error)]));
        }
        call.onEnd();
        throw error;
      }
    });
  }
  app.post('/agents/:agent/connect', async (context) => {
    const call = await readCall(parts, context.req.raw, {
      agent: context.req.param('agent'),
      principal: context.get('principal'),
      action: 'read',
    });
    return send(parts, call, connect(parts, call));
  });
}

async function readCall(
  parts: HostParts,
  request: Request,
  wanted: { readonly agent: string; readonly principal: Principal; readonly action: 'run' | 'read' },
): Promise<RunCall> {
  const { options, store } = parts;
  const { principal } = wanted;
  const agent = agentNamed(parts, wanted.agent);
  const form = negotiateForm(request.headers.get('accept'));
  const expected = dialectFor(request, agent, options);
  const { bodyBytes = BODY_BYTES, json, messages = MAX_MESSAGES } = options.limits ?? {};
  const raw = await readJson(request, { bytes: bodyBytes, json });
  const interruptIds = await answeredIds(raw, principal, store);
  const { input: sent, dialect } = decodeInput(raw, expected, { interruptIds });
  checkedId(sent.threadId, 'threadId');
  checkedId(sent.runId, 'runId');
  if (sent.messages.length > messages) {
    throw new HoldpointError('TOO_LARGE', `An input carries at most ${messages} messages.`);
  }
  await assertAllowed(parts, principal, { action: wanted.action, agent: agent.id, thread: sent.threadId });
  const key = { scope: principal.scope, thread: sent.threadId };
  const input = dialect === 'command' ? await nameByParentRun(store, key, sent) : sent;
  const encoder = createEventEncoder(form, dialect);
  return { agent, principal, key, input, dialect, encoder, onEnd: parts.streams.open('run') };
}

/** The members of an answer in the command form that are ids of interrupts of its thread. */
async function answeredIds(raw: unknown, { scope }: Principal, store: HostParts['store']): Promise<string[]> {
  const props: unknown = isRecord(raw) ? (raw['forwardedProps'] ?? raw['forwarded_props']) : undefined;
  const thread: unknown = isRecord(raw) ? (raw['threadId'] ?? raw['thread_id']) : undefined;
  const command: unknown = isRecord(props) ? props['command'] : undefined;
  const answer: unknown = isRecord(command) ? command['resume'] : undefined;
  if (!isRecord(answer) || typeof thread !== 'string') return [];
  const ids = Object.keys(answer);
  if (ids.length > MAX_ANSWERS || ids.some((id) => id.length > MAX_ID)) return [];
  const rows = await store.get(
    'interrupts',
    ids.map((id) => ({ scope, thread, id })),
  );
  return rows.flatMap((row) => row?.key.id ?? []);
}

function begin(
  { runs, options }: HostParts,
  { agent, principal, key, input, dialect }: RunCall,
): Promise<Started> {
  // Both forms ask one interrupt at a time: the others are asked one after the other.
  const asksOne = dialect === 'draft' || dialect === 'command';
  const uncovered = asksOne ? 'reinterrupt' : options.interrupts?.uncovered;
  return runs.start({ key, agent, principal, input, ...(uncovered === undefined ? {} : { uncovered }) });
}

function respond(parts: HostParts, call: RunCall, started: Started): Response {
  switch (started.type) {
    case 'started': {
      const { run } = started;
      const cancels = parts.options.onDisconnect === 'cancel';
      const given = { after: run.eventsBefore, done: run.done };
      const onCancel = () => {
        if (cancels) run.cancel();
      };
      return send(parts, { ...call, onCancel }, (signal) => followRun(parts, call.key, { ...given, signal }));
    }
    case 'follow':
      return send(parts, call, followActive(parts, call, started.runId));
    default:
      return send(parts, call, connect(parts, call));
  }
}

/** The run that is at work on a thread, from its beginning; the thread as it is when it is over meanwhile. */
function followActive(parts: HostParts, call: RunCall, runId: string): Pieces {
  const { key } = call;
  return async function* (signal) {
    const active = (await readThread(parts.store, key))?.active;
    if (active?.runId !== runId) {
      yield* connect(parts, call)(signal);
      return;
    }
    const live = parts.runs.live.get(JSON.stringify([key.scope, key.thread]));
    const done = live?.runId === runId ? live.done : undefined;
    yield* followRun(parts, key, { after: active.eventsBefore, signal, done });
  };
}

type Pieces = (signal: AbortSignal) => AsyncIterable<readonly PlacedEvent[]>;

/** The thread as it is; a run that is at work on it follows. */
function connect(parts: HostParts, call: RunCall): Pieces {
  const { key, input } = call;
  return async function* (signal) {
    await adoptPending(parts, call);
    const { asIs, from, isShown } = await joinThread(parts.store, key);
    // The last frame says where the thread was shown: whoever watches it goes on from there.
    yield asIsEvents(input, asIs).map((event) => (endsRun(event) ? { event, place: from } : { event }));
    if (!isAtWork(asIs.thread, await parts.store.now(), parts.store)) return;
    for await (const events of followRun(parts, key, { after: from, signal })) {
      yield events.filter(({ event, place = 0 }) => !isShown(event, place));
    }
  };
}

/** Questions that the agent itself holds open, and nobody here has heard of, get the ledger too. */
async function adoptPending(
  { store, newId, logger, tell }: HostParts,
  { agent, key, principal }: RunCall,
): Promise<void> {
  if (agent.pending === undefined) return;
  try {
    const pending = await agent.pending(key);
    await assertForeignSchemas(pending);
    const { interrupts, names } = publishInterrupts(pending, { isUsed: () => false, newId: contentId });
    const batch = newId();
    const turn = writeForeignTurn({ names });
    const isNew = await adoptQuestions(store, { key, agent: agent.id, principal, interrupts, batch, turn });
    if (isNew) tell(key, (record) => record.batch === batch);
  } catch (error) {
    logger.warn({ err: error, thread: key.thread }, 'What the agent holds open could not be read.');
  }
}

function once(events: readonly AgentStreamEvent[]): Pieces {
  return async function* () {
    yield events.map((event) => ({ event }));
  };
}

/** The only event of a run that the ledger refused. */
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

function send(
  parts: HostParts,
  { encoder, onEnd, onCancel }: Pick<RunCall, 'encoder' | 'onEnd'> & { readonly onCancel?: () => void },
  pieces: Pieces,
): Response {
  const stop = new AbortController();
  const { signal, unlink } = linkSignals(stop.signal, parts.streams.stopping);
  const encoded = async function* (): AsyncGenerator<string | Uint8Array<ArrayBuffer>, void, undefined> {
    for await (const events of pieces(signal)) yield* encoder.encode(events);
  };
  return streamResponse(encoded(), {
    contentType: encoder.contentType,
    keepAliveMs: encoder.contentType === undefined ? (parts.options.keepAliveMs ?? 15_000) : 0,
    onCancel() {
      stop.abort();
      onCancel?.();
    },
    onError: streamFailure(parts),
    onEnd() {
      unlink();
      onEnd();
    },
  });
}
