import { defined, HoldpointError, messageOf, parseJson } from '../../core/index.ts';
import { validateWithSchema } from '../../core/schema/index.ts';
import type { ToolCall } from '../../protocol/index.ts';
import type { CallGuard, CallState, CallToRun, PendingInterrupt } from '../calls/call-state.ts';
import { approvalGuard, done, failed, waiting } from '../calls/call-state.ts';
import type { CallToDecide, GivenApproval, UsableGrants } from '../calls/decide-call.ts';
import {
  approvalOptions,
  decideAgain,
  decideCall,
  findGrants,
  isGivenBy,
  neededApproval,
} from '../calls/decide-call.ts';
import type { KeyedCall } from '../calls/execute-call.ts';
import { executeCall, withKey } from '../calls/execute-call.ts';
import { approvalInterrupt, interruptRules } from '../calls/interrupts.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { CheckedCall } from '../calls/shown-arguments.ts';
import { inputOf, withShownArguments } from '../calls/shown-arguments.ts';
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
    if (decision.type === 'run' && decision.options !== undefined)
      return { call, held: { type: 'free', call: { ...call, guard: approvalGuard(options) } } };
    const { checked } = call;
    const guarded = { ...(await withShownArguments(call, run)), checked, guard: approvalGuard(options) };
    const asked = { options, heldByPolicy: decision.type === 'ask' && decision.heldByPolicy };
    const pending = await approvalOf(guarded, asked, run);
    const byGrant = decision.type === 'ask' ? await findGrants(guarded, asked, run) : undefined;
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
  const { tool, toolCallId, checked } = call;
  return { tool, toolCallId, input: checked.value, requireApproval };
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

interface ByGrant extends UsableGrants {
  /** The interrupt that a grant spares. */
  readonly spared: PendingInterrupt;
}

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

/** How a call that waited may go on. */
export interface WaitedCall {
  /** How the call was approved; absent for a call whose body waited. */
  readonly approval?: GivenApproval | undefined;
  /** Whether a person changed the arguments with the approval. */
  readonly isEdited?: boolean;
  /** Added to the reason why the call may not go on. */
  readonly consequence: string;
  readonly requireApproval: boolean;
}

/**
 * Asks policies and the mode about a call that waited, when its answer arrives. `deny` wins. New people are asked if a policy
 * names them, or if the edited arguments need them.
 */
export async function holdWaited(call: CheckedCall, waited: WaitedCall, run: RunContext): Promise<HeldCall> {
  const { approval, isEdited = false, requireApproval } = waited;
  const wasGuarded = call.guard?.approval === true;
  const asked = toDecide(call, requireApproval);
  try {
    let decided = await decideAgain(asked, { approval, wasGuarded }, run);
    if (decided.type === 'run' && isEdited && approval !== undefined) {
      const needed = await neededApproval(asked, run);
      if (needed.type === 'ask' && !isGivenBy(needed.options.approvers, approval, run.askers))
        decided = needed;
    }
    if (decided.type === 'run') return { type: 'free', call };
    if (decided.type === 'deny')
      return { type: 'held', state: failed(`${decided.text} ${waited.consequence}`) };
    const guarded = { ...call, guard: approvalGuard(decided.options) };
    return { type: 'held', state: waiting([await approvalOf(guarded, decided, run)], guarded) };
  } catch (error) {
    return { type: 'held', state: undecided(call, error, run) };
  }
}

/** A waiting call with checked arguments; undefined if they are invalid. */
export async function checkArguments(call: CallToRun, run: RunContext): Promise<CheckedCall | undefined> {
  const checked = await validateWithSchema(call.tool.input, inputOf(call, run));
  return checked.ok ? { ...call, checked: { value: checked.value } } : undefined;
}

/** A rule that fails does not allow the call. Rethrows `STORE_FAILED`: a read that failed decides nothing. */
function undecided({ tool }: CallToRun, error: unknown, run: RunContext): CallState {
  if (HoldpointError.is(error, 'STORE_FAILED')) throw error;
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
  const asked = { tool, toolCallId, input: checked.value, requireApproval };
  const decision = await decideCall(asked, run).catch((error: unknown) => {
    if (HoldpointError.is(error, 'STORE_FAILED')) throw error;
    return undefined;
  });
  if (decision === undefined || decision.type === 'deny') return strict;
  return decision.options === undefined ? undefined : approvalGuard(decision.options);
}
