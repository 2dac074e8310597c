import { canonicalJson, defined, isRecord, jsonCopy } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { approvalInterrupt, decisionOf } from '../approvals.ts';
import type { GraphInterrupt, GraphSaver, GraphState, GraphTask } from './sdk.ts';

/** An `interrupt()` that a graph waits at, and the interrupts that it is published as. */
export interface Waiting {
  /** LangGraph's own id, which answers are given by. */
  readonly id: string;
  readonly value: unknown;
  readonly interrupts: readonly Interrupt[];
}

/** The channel in which a task keeps the answers that it was given. */
const RESUME = '__resume__';

/** The channels that a task writes before it ends. */
const UNFINISHED: ReadonlySet<string> = new Set([
  RESUME,
  '__interrupt__',
  '__error__',
  '__error_source_node__',
]);

/** Every `interrupt()` that a graph waits at, those of its subgraphs included. */
export async function readWaiting(saver: GraphSaver, state: GraphState): Promise<readonly Waiting[]> {
  const found = new Map<string, Waiting>();
  for (const task of state.tasks) {
    if (task.interrupts.length === 0) continue;
    const answered = await countAnswers(saver, state, task);
    if (answered === undefined) continue;
    const inner = isState(task.state) ? await readWaiting(saver, task.state) : [];
    for (const waiting of inner) if (!found.has(waiting.id)) found.set(waiting.id, waiting);
    if (inner.length > 0) continue;
    for (const one of task.interrupts) {
      const id = one.id ?? '';
      // LangGraph cannot tell two of one id apart; it asks the second once the first is answered.
      if (!found.has(id)) found.set(id, toWaiting(one, `${id}-${answered}`, state.values));
    }
  }
  return [...found.values()];
}

/**
 * The answers that a task has had: the second `interrupt()` of a task has the id of the first. Undefined for a task that has
 * ended: LangGraph still shows its interrupts while other tasks of its step wait.
 */
async function countAnswers(
  saver: GraphSaver,
  { config }: GraphState,
  task: GraphTask,
): Promise<number | undefined> {
  const { configurable = {} } = config;
  const outer = configurable['checkpoint_ns'];
  const place = `${String(task.name)}:${task.id}`;
  const inner = typeof outer === 'string' && outer !== '' ? `${outer}|${place}` : place;
  const { checkpoint_id: _id, checkpoint_map: _map, ...thread } = configurable;
  const [own, within] = await Promise.all([
    saver.getTuple(config),
    // A graph that the task's own code runs.
    saver.getTuple({ configurable: { ...thread, checkpoint_ns: inner } }),
  ]);
  const writes = (own?.pendingWrites ?? []).filter(([taskId]) => taskId === task.id);
  if (writes.some(([, channel]) => !UNFINISHED.has(channel))) return undefined;
  return [...writes, ...(within?.pendingWrites ?? [])].reduce(
    (sum, [, channel, value]) => sum + (channel === RESUME ? (Array.isArray(value) ? value.length : 1) : 0),
    0,
  );
}

function isState(state: unknown): state is GraphState {
  return isRecord(state) && Array.isArray(state['tasks']);
}

function toWaiting(
  { id = '', value, response_schema }: GraphInterrupt,
  name: string,
  values: unknown,
): Waiting {
  const actions = reviewsOf(value);
  if (actions === undefined) return { id, value, interrupts: [plainInterrupt(name, value, response_schema)] };
  const interrupts = actions.map(({ action, allowed, argsSchema }, index) => {
    const interrupt = approvalInterrupt({
      id: `${name}-${index}`,
      callId: callIdOf(values, actions.slice(0, index + 1)),
      name: String(action['name']),
      args: action['args'],
      message: typeof action['description'] === 'string' ? action['description'] : undefined,
      editedArgs: allowed.includes('edit') ? (argsSchema ?? { type: 'object' }) : undefined,
    });
    return restrict(interrupt, allowed);
  });
  return { id, value, interrupts };
}

/** The interrupt of `interrupt(value)`. Members that AG-UI has are taken from an object; the whole value is the payload. */
function plainInterrupt(id: string, value: unknown, schema: unknown): Interrupt {
  const given = isRecord(value) ? value : { message: value };
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  const message = text('message') ?? text('question') ?? text('prompt');
  const responseSchema = schema ?? given['responseSchema'];
  return {
    id,
    reason: text('reason') ?? InterruptReason.InputRequired,
    ...defined({ message, toolCallId: text('toolCallId'), expiresAt: text('expiresAt') }),
    ...(isRecord(responseSchema) ? { responseSchema } : {}),
    metadata: { ...(isRecord(given['metadata']) ? given['metadata'] : {}), payload: jsonCopy(value ?? null) },
  };
}

interface Review {
  readonly action: Readonly<Record<string, unknown>>;
  readonly allowed: readonly unknown[];
  readonly argsSchema: Readonly<Record<string, unknown>> | undefined;
}

/** The calls of a request by LangChain's `humanInTheLoopMiddleware`; undefined for any other value. */
function reviewsOf(value: unknown): readonly Review[] | undefined {
  if (!isRecord(value)) return undefined;
  const { actionRequests, reviewConfigs } = value;
  if (!Array.isArray(actionRequests) || !Array.isArray(reviewConfigs)) return undefined;
  return actionRequests.filter(isRecord).map((action) => {
    const config: unknown = reviewConfigs.find(
      (one) => isRecord(one) && one['actionName'] === action['name'],
    );
    const { allowedDecisions, argsSchema } = isRecord(config) ? config : {};
    return {
      action,
      allowed: Array.isArray(allowedDecisions) ? allowedDecisions : ['approve', 'reject'],
      argsSchema: isRecord(argsSchema) ? argsSchema : undefined,
    };
  });
}

/** The call of the last review among these, in the newest message: equal calls are told apart by their order. */
function callIdOf(values: unknown, reviews: readonly Review[]): string | undefined {
  const messages = isRecord(values) && Array.isArray(values['messages']) ? values['messages'] : [];
  const last: unknown = messages.at(-1);
  const calls: unknown = isRecord(last) ? last['tool_calls'] : undefined;
  if (!Array.isArray(calls)) return undefined;
  const key = (call: unknown) => (isRecord(call) ? canonicalJson([call['name'], call['args'] ?? null]) : '');
  const wanted = key(reviews.at(-1)?.action);
  const place = reviews.filter(({ action }) => key(action) === wanted).length - 1;
  const call: unknown = calls.filter((one) => key(one) === wanted)[place];
  return isRecord(call) && typeof call['id'] === 'string' ? call['id'] : undefined;
}

/** An answer that the middleware would refuse is not offered. */
function restrict(interrupt: Interrupt, allowed: readonly unknown[]): Interrupt {
  const canApprove = allowed.includes('approve') || allowed.includes('edit');
  const canReject = allowed.includes('reject');
  if (canApprove && canReject) return interrupt;
  const { properties, ...schema } = interrupt.responseSchema ?? {};
  const approved = { type: 'boolean', enum: [canApprove] };
  return { ...interrupt, responseSchema: { ...schema, properties: { ...(properties as object), approved } } };
}

/**
 * The answers as `Command({ resume })` takes them, by LangGraph's ids. A cancelled `interrupt()` has none: the graph stays
 * where it is. A cancelled call of the middleware is rejected, if the middleware takes a rejection.
 */
export function toResume(
  waiting: readonly Waiting[],
  entries: readonly ResumeEntry[],
): ReadonlyMap<string, unknown> {
  const byId = new Map(entries.map((entry) => [entry.interruptId, entry]));
  const answers = new Map<string, unknown>();
  for (const { id, value, interrupts } of waiting) {
    const given = interrupts.flatMap((interrupt) => byId.get(interrupt.id) ?? []);
    if (given.length < interrupts.length) continue;
    const reviews = reviewsOf(value);
    if (reviews === undefined) {
      const [entry] = given;
      if (entry?.status === 'resolved') answers.set(id, entry.payload ?? null);
      continue;
    }
    const decisions = reviews.map((review, index) => toDecision(review, given[index]));
    if (!decisions.includes(undefined)) answers.set(id, { decisions });
  }
  return answers;
}

function toDecision({ action, allowed }: Review, entry: ResumeEntry | undefined): object | undefined {
  if (entry === undefined) return undefined;
  const { approved, reason, editedArgs } = decisionOf(entry);
  if (!approved) {
    if (!allowed.includes('reject')) return undefined;
    return { type: 'reject', ...defined({ message: reason }) };
  }
  if (editedArgs === undefined && allowed.includes('approve')) return { type: 'approve' };
  return { type: 'edit', editedAction: { name: action['name'], args: editedArgs ?? action['args'] } };
}
