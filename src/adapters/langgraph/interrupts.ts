import { canonicalJson, defined, isRecord } from '../../core/index.ts';
import type { AgentContext } from '../../engine/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { approvalInterrupt, decisionOf } from '../approvals.ts';
import { inputInterrupt } from '../input-interrupt.ts';
import type { GraphInterrupt } from './sdk.ts';

/** An `interrupt()` that a graph waits at, and the interrupts that it is published as. */
export interface Waiting {
  /** LangGraph's own id, which answers are given by. */
  readonly id: string;
  /** The answers that its task had before. */
  readonly answered: number;
  /** Its step failed after the answer. */
  readonly hasFailed: boolean;
  /** The graph was given its answer, and the step has not ended: the step may have begun. */
  readonly isHanded: boolean;
  readonly interrupts: readonly Interrupt[];
  /** The calls that LangChain's `humanInTheLoopMiddleware` asks about, one for each interrupt. */
  readonly reviews: readonly Review[] | undefined;
}

interface Review {
  readonly action: Readonly<Record<string, unknown>>;
  /** The decisions that the middleware takes. */
  readonly allowed: readonly unknown[];
  readonly argsSchema: Readonly<Record<string, unknown>> | undefined;
}

/** An `interrupt()` of a task that has had so many answers. */
export function toWaiting(
  { id = '', value, response_schema }: GraphInterrupt,
  { answered, hasFailed }: Pick<Waiting, 'answered' | 'hasFailed'>,
  values: unknown,
): Waiting {
  const progress = { id, answered, hasFailed, isHanded: false };
  const name = `${id}-${answered}`;
  const reviews = reviewsOf(value);
  if (reviews === undefined) {
    const interrupt = inputInterrupt({ id: name, schema: response_schema, details: value });
    return { ...progress, reviews, interrupts: [interrupt] };
  }
  const interrupts = reviews.map(({ action, allowed, argsSchema }, index) => {
    const canApprove = allowed.includes('approve') || allowed.includes('edit');
    return approvalInterrupt({
      id: `${name}-${index}`,
      callId: callIdOf(values, reviews.slice(0, index + 1)),
      name: String(action['name']),
      args: action['args'],
      message: typeof action['description'] === 'string' ? action['description'] : undefined,
      editedArgs: allowed.includes('edit') ? (argsSchema ?? { type: 'object' }) : undefined,
      approved: canApprove && allowed.includes('reject') ? undefined : canApprove,
    });
  });
  return { ...progress, reviews, interrupts };
}

/** The calls of a request by the middleware; undefined for any other value. */
function reviewsOf(value: unknown): readonly Review[] | undefined {
  const { actionRequests, reviewConfigs } = isRecord(value) ? value : {};
  if (!Array.isArray(actionRequests) || !Array.isArray(reviewConfigs)) return undefined;
  const configs = reviewConfigs.filter(isRecord);
  return actionRequests.filter(isRecord).map((action) => {
    const config = configs.find(({ actionName }) => actionName === action['name']);
    const { allowedDecisions, argsSchema } = config ?? {};
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

/**
 * The answers as `Command({ resume })` takes them, by LangGraph's ids. A cancelled `interrupt()` has none: the graph stays
 * where it is. A cancelled call of the middleware is rejected, if the middleware takes a rejection.
 */
export function toResume(
  waiting: readonly Waiting[],
  entries: readonly ResumeEntry[],
  context: AgentContext,
): ReadonlyMap<string, unknown> {
  const byId = new Map(entries.map((entry) => [entry.interruptId, entry]));
  const answers = new Map<string, unknown>();
  for (const { id, reviews, interrupts } of waiting) {
    const given = interrupts.flatMap((interrupt) => byId.get(interrupt.id) ?? []);
    const [first] = given;
    if (first === undefined || given.length < interrupts.length) continue;
    if (reviews === undefined) {
      if (first.status === 'resolved') answers.set(id, first.payload ?? null);
      continue;
    }
    const decisions = given.map((entry, index) => toDecision(reviews[index], entry, context));
    if (!decisions.includes(undefined)) answers.set(id, { decisions });
  }
  return answers;
}

/** The decision as the middleware takes it; undefined for one that it does not take. */
function toDecision(
  review: Review | undefined,
  entry: ResumeEntry,
  context: AgentContext,
): object | undefined {
  const { action = {}, allowed = [] } = review ?? {};
  const { approved, reason, editedArgs } = decisionOf(entry, context);
  if (!approved)
    return allowed.includes('reject') ? { type: 'reject', ...defined({ message: reason }) } : undefined;
  if (editedArgs === undefined && allowed.includes('approve')) return { type: 'approve' };
  return { type: 'edit', editedAction: { name: action['name'], args: editedArgs ?? action['args'] } };
}
