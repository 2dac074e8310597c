import type { Approvers } from '../../content/interrupts/index.ts';
import { isSameRule } from '../../content/interrupts/index.ts';
import { defined, HoldpointError, messageOf, parseJson } from '../../core/index.ts';
import { validateWithSchema } from '../../core/schema/index.ts';
import type { ToolCall } from '../../protocol/index.ts';
import type { CallGuard, CallState, CallToRun, PendingInterrupt } from '../calls/call-state.ts';
import { approvalGuard, done, failed, waiting } from '../calls/call-state.ts';
import type { CallDecision, CallToDecide } from '../calls/decide-call.ts';
import { approvalOptions, decideCall, neededApproval } from '../calls/decide-call.ts';
import type { KeyedCall } from '../calls/execute-call.ts';
import { executeCall, withKey } from '../calls/execute-call.ts';
import { approvalInterrupt, interruptRules } from '../calls/interrupts.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { ApprovalOptions } from '../tools/approval.ts';
import type { Tool } from '../tools/tool.ts';
import type { LoopSettings } from './loop-settings.ts';
import type { TurnCall } from './open-turn.ts';
import { settleAll } from './open-turn.ts';

/** The results of the calls of a turn. */
export interface MadeCalls {
  readonly calls: readonly TurnCall[];
  /** Set if the model called an exit. */
  readonly exit?: { readonly result: unknown };
}

/** Runs the calls of a model concurrently. A call that waits for a person does not delay the others. */
export async function makeCalls(
  calls: readonly ToolCall[],
  settings: LoopSettings,
  run: RunContext,
): Promise<MadeCalls> {
  const exit = await findExit(calls, settings);
  if (exit !== undefined) {
    const ended = failed('Skipped: the task has ended.');
    const states = calls.map((call): TurnCall => ({
      call,
      state: call === exit.call ? done(exit.result) : ended,
    }));
    return { calls: states, exit: { result: exit.result } };
  }
  const states = await settleAll(
    calls.map(async (call): Promise<TurnCall> => ({ call, state: await makeCall(call, settings, run) })),
  );
  return { calls: states };
}

/** Runs one call and returns its result or its interrupts; undefined for a call of the client. */
export async function makeCall(
  call: ToolCall,
  settings: LoopSettings,
  run: RunContext,
): Promise<CallState | undefined> {
  const { name } = call.function;
  const tool = settings.tools.get(name);
  if (tool === undefined) {
    if (settings.clientTools.some((declared) => declared.name === name)) return undefined;
    return failed(`There is no tool ${name}. Tools: ${[...settings.tools.keys()].join(', ') || 'none'}.`);
  }
  const parsed = parseArguments(call, tool);
  if ('state' in parsed) return parsed.state;
  const checked = await validateWithSchema(tool.input, parsed.input);
  const toRun = { tool, toolCallId: call.id, input: parsed.input };
  if (!checked.ok) return executeCall(toRun, run);
  const decided = await holdCall(
    { ...toRun, checked: { value: checked.value } },
    settings.requireApproval,
    run,
  );
  return decided.type === 'held' ? decided.state : executeCall(decided.call, run);
}

function parseArguments(
  call: ToolCall,
  tool: Tool,
): { readonly input: unknown } | { readonly state: CallState } {
  try {
    return { input: parseJson(call.function.arguments) };
  } catch (error) {
    if (!HoldpointError.is(error)) throw error;
    return { state: failed(`The arguments of ${tool.name} are not JSON.`) };
  }
}

async function findExit(
  calls: readonly ToolCall[],
  settings: LoopSettings,
): Promise<{ readonly call: ToolCall; readonly result: unknown } | undefined> {
  for (const call of calls) {
    const tool = settings.tools.get(call.function.name);
    if (tool?.kind !== 'exit') continue;
    const parsed = parseArguments(call, tool);
    if ('state' in parsed) continue;
    const checked = await validateWithSchema(tool.input, parsed.input);
    if (checked.ok) return { call, result: checked.value };
  }
  return undefined;
}

/** A call with checked arguments. */
export type CheckedCall = CallToRun & { readonly checked: { readonly value: unknown } };

/** A call that may run, or the state of a call that may not: finished, or waiting for a person. */
export type HeldCall =
  | { readonly type: 'free'; readonly call: CallToRun }
  | { readonly type: 'held'; readonly state: CallState };

/**
 * Checks a call by policies, tool and agent before it runs. A call that was approved with other arguments needs a
 * new approval, even if no rule requires one for these.
 */
export async function holdCall(
  call: CheckedCall,
  requireApproval: boolean,
  run: RunContext,
): Promise<HeldCall> {
  const { tool } = call;
  if (tool.kind !== 'function' && tool.kind !== 'agent') return { type: 'free', call };
  const decided = await decide(call, requireApproval, run);
  if (decided.byGrant === undefined) return decided.held;
  const { checkpoints } = run;
  if (checkpoints?.cancelSignal.aborted === true) return decided.held;
  // Outside the catch of `decide`: a lost run ends here.
  const started = await startByGrant(withKey(decided.call, run), decided.byGrant, run);
  return started === undefined ? decided.held : { type: 'free', call: started };
}

/** Whether a call may run; `byGrant`: the grants that it may start by instead of being held. */
async function decide(
  call: CheckedCall,
  requireApproval: boolean,
  run: RunContext,
): Promise<{ readonly held: HeldCall; readonly call: CallToRun; readonly byGrant?: ByGrant }> {
  const { guard } = call;
  try {
    const decision = await decideCall(toDecide(call, requireApproval), run);
    if (decision.type === 'deny') return { call, held: { type: 'held', state: failed(decision.text) } };
    const options = decision.options ?? (guard?.approval === true ? approvalBefore(call) : undefined);
    if (options === undefined) return { call, held: { type: 'free', call } };
    const guarded = { ...call, guard: approvalGuard(options) };
    if (decision.type === 'run' && decision.options !== undefined)
      return { call, held: { type: 'free', call: guarded } };
    const heldByPolicy = decision.type === 'ask' && decision.heldByPolicy;
    const pending = await approvalOf(guarded, { options, heldByPolicy }, run);
    const byGrant = decision.type === 'ask' ? decision.byGrant : undefined;
    return {
      call: guarded,
      held: { type: 'held', state: waiting([pending], guarded) },
      ...(byGrant === undefined ? {} : { byGrant: { ...byGrant, spared: pending } }),
    };
  } catch (error) {
    return { call, held: { type: 'held', state: undecided(call, error, run) } };
  }
}

function toDecide(call: CheckedCall, requireApproval: boolean): CallToDecide {
  const { tool, toolCallId, input: given, checked } = call;
  return { tool, toolCallId, input: checked.value, given, requireApproval };
}

/** The interrupt that asks for the approval of a call. */
async function approvalOf(
  call: CallToRun,
  asked: { readonly options: ApprovalOptions<unknown>; readonly heldByPolicy: boolean },
  run: RunContext,
): Promise<PendingInterrupt> {
  const interrupt = await approvalInterrupt(call, asked, run);
  return { kind: 'approval', interrupt, ...interruptRules(asked.options) };
}

type ByGrant = NonNullable<Extract<CallDecision, { type: 'ask' }>['byGrant']> & {
  /** The interrupt that a grant spares. */
  readonly spared: PendingInterrupt;
};

/** Starts a call by the first grant that still allows it, and counts the use; undefined if no grant does. */
async function startByGrant(
  call: KeyedCall,
  { grants, amount, spared }: ByGrant,
  run: RunContext,
): Promise<CallToRun | undefined> {
  const { toolCallId, idempotencyKey } = call;
  const { checkpoints } = run;
  const isStored = checkpoints !== undefined && run.grants?.isStored === true;
  const interruptId = isStored ? spared.interrupt.id : undefined;
  for (const { id, grant } of grants) {
    const isUsed = isStored
      ? await checkpoints.starting(toolCallId, { idempotencyKey, grant: { id, amount, toolCallId, spared } })
      : await run.grants?.use(id, amount);
    const { givenBy } = grant;
    if (isUsed === true) return { ...call, grant: { id, ...defined({ givenBy, interruptId }) } };
  }
  return undefined;
}

/**
 * The state of a call that was approved with edited arguments and may not run with them: a policy forbids them, or they need
 * other approvers than `approvers`, who are asked. Undefined if the call may run.
 */
export async function holdEdited(
  call: CallToRun,
  given: { readonly approvers: Approvers | undefined; readonly requireApproval: boolean },
  run: RunContext,
): Promise<CallState | undefined> {
  const edited = await checkEdits(call, run);
  if (edited === undefined) return undefined;
  try {
    const needed = await neededApproval(toDecide(edited, given.requireApproval), run);
    if (needed.type === 'deny') return failed(needed.text);
    const { approvers } = needed.type === 'ask' ? needed.options : {};
    if (needed.type === 'none' || approvers === undefined || isSameRule(approvers, given.approvers))
      return undefined;
    const guarded = { ...call, guard: approvalGuard(needed.options) };
    return waiting([await approvalOf(guarded, needed, run)], guarded);
  } catch (error) {
    return undecided(call, error, run);
  }
}

/** A call with checked arguments of a person; undefined if they are invalid. */
export async function checkEdits(call: CallToRun, { secrets }: RunContext): Promise<CheckedCall | undefined> {
  const { tool, input } = call;
  const checked = await validateWithSchema(tool.input, secrets === undefined ? input : secrets.open(input));
  return checked.ok ? { ...call, checked: { value: checked.value } } : undefined;
}

/** A rule that fails does not allow the call. */
function undecided({ tool }: CallToRun, error: unknown, run: RunContext): CallState {
  run.warn(`The approval of ${tool.name} could not be decided: ${messageOf(error)}`);
  return failed(`${tool.name} was not made: whether it needs an approval could not be decided.`);
}

/** The approval that the call needed before its arguments were edited; its approvers are stored. */
function approvalBefore({ tool, guard }: CallToRun): ApprovalOptions<unknown> {
  const options = approvalOptions(tool.approval) ?? {};
  return guard?.approvers === undefined ? options : { ...options, approvers: guard.approvers };
}

/**
 * The guard of a call that a lost run started without an approval: the rules are checked again. If they fail, the
 * arguments cannot be edited.
 */
export async function guardOfBegun(
  { tool, toolCallId, input }: CallToRun,
  requireApproval: boolean,
  run: RunContext,
): Promise<CallGuard | undefined> {
  const strict: CallGuard = { ...approvalGuard(approvalOptions(tool.approval) ?? {}), fixed: true };
  const checked = await validateWithSchema(tool.input, input);
  if (!checked.ok) return strict;
  const asked = { tool, toolCallId, input: checked.value, given: input, requireApproval };
  const decision = await decideCall(asked, run).catch(() => undefined);
  if (decision === undefined || decision.type === 'deny') return strict;
  return decision.options === undefined ? undefined : approvalGuard(decision.options);
}
