import type { AnswerEffect } from '../../content/interrupts/index.ts';
import {
  answerEffect,
  cancelledText,
  DECIDED_TEXTS,
  offersEdits,
  offersRemember,
  rejectionText,
} from '../../content/interrupts/index.ts';
import { defined, HoldpointError, isRecord, ownMember } from '../../core/index.ts';
import type { ToolCall } from '../../protocol/index.ts';
import type { CheckedCall } from '../calls/shown-arguments.ts';
import { isSameJson, withShownArguments } from '../calls/shown-arguments.ts';
import type { CallState, CallToRun, PendingInterrupt, WaitingCall } from '../calls/call-state.ts';
import { answeredGuard, done, failed, isChanged } from '../calls/call-state.ts';
import { approvalOptions } from '../calls/decide-call.ts';
import type { JournalEntry } from '../calls/journal.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import { checkArguments, holdCall, holdWaited } from './make-calls.ts';
import { answersOf, givesOutput } from './match-replies.ts';

export interface CallToResume extends MakesCalls {
  readonly call: ToolCall;
  readonly state: WaitingCall;
  readonly tool: Tool;
  readonly replies: ReadonlyMap<string, Reply>;
  /** Whether a lost run has started the call. */
  readonly hasBegun: boolean;
}

/** Continues a waiting call by its answer. */
export async function resumeCall(resumed: CallToResume, run: RunContext): Promise<CallState> {
  const { call, state, tool, replies } = resumed;
  const make = makerOf(resumed, run);
  const own = state.interrupts.flatMap(({ interrupt }) => replies.get(interrupt.id) ?? []);
  const toRun: CallToRun = { ...recorded(state), tool, toolCallId: call.id };
  if (state.child !== undefined) {
    return make({ ...toRun, child: { ...state.child, interrupts: state.interrupts, replies: own } });
  }
  const [pending] = state.interrupts;
  const [reply] = own;
  if (pending === undefined || reply === undefined) {
    throw new HoldpointError('INTERNAL', `The call ${call.id} waits without an interrupt.`);
  }
  if (pending.stepKey !== undefined) return resumeSteps({ ...resumed, make }, toRun, run);
  if (pending.askKey !== undefined) {
    const guard = answeredGuard(state.guard, state.interrupts);
    return make({ ...toRun, guard, journal: [...state.journal, ...answersOf(state, replies, run)] });
  }
  const isGiven = givesOutput(reply, pending);
  const effect: AnswerEffect = isGiven
    ? { type: 'output', value: reply.payload ?? null }
    : answerEffect(pending.kind, reply);
  // Without a result, a model would not know whether to make the call again. Code reads the value itself.
  const isUntold = !isGiven && pending.kind === 'recovery' && tool.hidden !== true;
  switch (effect.type) {
    case 'cancelled':
      return failed(cancelledResult(pending, run));
    case 'rejected':
      return failed((approvalOptions(tool.approval)?.rejection ?? rejectionText)(effect.reason));
    case 'output':
      return done(isUntold ? (effect.value ?? DECIDED_TEXTS.skip) : effect.value);
    case 'finished':
      return done(isUntold ? (effect.value ?? DECIDED_TEXTS.finished) : effect.value);
    case 'abort':
      return ABORTED;
    case 'replay-answers': {
      const answers = (state.journal ?? []).filter(({ kind }) => kind === 'ask');
      return make({ ...toRun, journal: answers, version: tool.version });
    }
    case 'run': {
      // Only if the interrupt offers edits; otherwise the arguments come from the record.
      const edits = offersEdits(pending.interrupt) ? effect.editedArgs : undefined;
      const replacement = edits ?? reply.replaceInput;
      const next = edited(toRun, replacement);
      if (isChanged(state, tool) && !resumed.hasBegun) {
        // Its body asks again.
        if (pending.kind === 'restart' && state.journal.length === 0) return make(withoutConsent(next));
        const note = `${tool.name} changed after it was approved (version ${state.version ?? 'none'}, now ${tool.version ?? 'none'}).`;
        if (state.guard?.approval === true) return askAgain(resumed, { call: next, pending, note }, run);
      }
      if (pending.kind === 'recovery') {
        return replacement === undefined ? make(next) : makeEdited(resumed, withoutConsent(next), run);
      }
      if (pending.kind === 'restart') {
        const unread = run.secrets?.holds(effect.resumed) === true;
        const answer = {
          resumed: { value: effect.resumed, ...(unread ? { unread } : {}) },
          guard: answeredGuard(state.guard, [pending]),
        };
        // A program in process may replace the input; an answer may come from anywhere.
        if (edits === undefined) return make({ ...next, ...answer });
        return makeEdited(resumed, { ...withoutConsent(next), ...answer }, run);
      }
      return makeApproved(resumed, { call: next, pending, reply, isEdited: replacement !== undefined }, run);
    }
    case 'replay':
      return make(toRun);
  }
}

/** Runs an approved call: with the arguments that were shown, and if policies and the mode allow it now. */
async function makeApproved(
  resumed: CallToResume,
  approved: {
    readonly call: CallToRun;
    readonly pending: PendingInterrupt;
    readonly reply: Reply;
    readonly isEdited: boolean;
  },
  run: RunContext,
): Promise<CallState> {
  const { hasBegun, make, state, tool } = resumed;
  const { call, pending, reply, isEdited } = approved;
  const by = run.answeredBy(pending.interrupt.id);
  const asApproved = (one: CallToRun): CallToRun => ({
    ...one,
    resumed: { value: reply.payload ?? null },
    approvedBy: by,
  });
  const checked = await checkArguments(call, run);
  // Running a call with invalid arguments reports them.
  if (checked === undefined) return make(asApproved(call));
  const isConverted = state.schemaEffect?.converted === true;
  if (!hasBegun && !isEdited && !isConverted && !isSameJson(checked.checked.value, call.input)) {
    const note = `The schema of ${tool.name} changed after the call was approved: it reads other arguments.`;
    return askAgain(resumed, { call, pending, note }, run);
  }
  const shown = isEdited
    ? { ...(await withShownArguments(checked, run)), checked: checked.checked }
    : checked;
  // What a lost run has begun is not decided again.
  const held = hasBegun ? undefined : await holdApproved(resumed, { ...approved, call: shown }, run);
  if (held !== undefined) return held;
  if (offersRemember(pending.interrupt)) await remember(reply, shown, { run, pending });
  return make(asApproved(shown));
}

/** The state of an approved call that may not run now; undefined if it may. */
async function holdApproved(
  resumed: CallToResume,
  approved: {
    readonly call: CheckedCall;
    readonly pending: PendingInterrupt;
    readonly isEdited: boolean;
  },
  run: RunContext,
): Promise<CallState | undefined> {
  const { tool, requireApproval } = resumed;
  const { call, pending, isEdited } = approved;
  const by = run.answeredBy(pending.interrupt.id)?.id;
  const approval = { approvers: pending.rules?.approvers, by };
  const consequence = 'The call was approved, but it did not run.';
  const undecided = isEdited ? { ...withoutConsent(call), checked: call.checked } : call;
  const held = await holdWaited(undecided, { approval, isEdited, consequence, requireApproval }, run);
  if (held.type === 'free') return undefined;
  if (held.state.status === 'done') return ended(resumed, held.state, run);
  // The approval of edited arguments counts beside that of the people who are asked now.
  if (isEdited) return held.state;
  return superseding(held.state, pending, `A policy names other people for ${tool.name} now.`);
}

/** Runs a call whose body waited, unless a policy or the mode forbids it now. */
function makerOf(resumed: CallToResume, run: RunContext): CallToResume['make'] {
  const { hasBegun, make, state, tool, requireApproval } = resumed;
  const isDecided = tool.kind === 'function' || tool.kind === 'agent';
  if (hasBegun || tool.hidden === true || !isDecided) return make;
  return async (call) => {
    const checked = await checkArguments(call, run);
    if (checked === undefined) return make(call);
    const isRecovery = state.interrupts.some(({ kind }) => kind === 'recovery');
    const consequence = isRecovery ? 'The call did not run again.' : 'The call did not go on.';
    const held = await holdWaited(checked, { consequence, requireApproval }, run);
    return held.type === 'held' ? ended(resumed, held.state, run) : make(held.call);
  };
}

/** Reports the end of a call that may not go on: it has failed, which the card says. */
function ended({ call }: CallToResume, state: CallState, run: RunContext): CallState {
  run.checkpoints?.finished(call.id, state);
  return state;
}

/** Applies the decisions about steps in doubt: done with this result, run again, or end the call. */
function resumeSteps(
  { state, replies, make }: CallToResume,
  toRun: CallToRun,
  run: RunContext,
): CallState | Promise<CallState> {
  const finished: JournalEntry[] = [];
  for (const pending of state.interrupts) {
    const { stepKey = '', interrupt } = pending;
    const reply = replies.get(interrupt.id);
    const effect = reply === undefined ? { type: 'cancelled' as const } : answerEffect('recovery', reply);
    if (effect.type === 'abort') return ABORTED;
    if (effect.type === 'output') return done(effect.value);
    if (effect.type === 'cancelled') return failed(cancelledResult(pending, run));
    const kind = stepKey.startsWith('delegate:') ? ('delegate' as const) : ('step' as const);
    if (effect.type === 'finished') finished.push({ key: stepKey, kind, value: effect.value });
  }
  return make({ ...toRun, journal: [...state.journal, ...finished] });
}

/** The result of a call whose interrupt was cancelled, or taken back by its asker. */
export function cancelledResult({ interrupt }: PendingInterrupt, run: RunContext): string {
  const { id } = interrupt;
  return cancelledText({ by: run.answeredBy(id), isWithdrawn: run.isWithdrawn(id) });
}

const ABORTED: CallState = { ...failed(DECIDED_TEXTS.abort), aborted: true };

function recorded(state: WaitingCall): Omit<CallToRun, 'tool' | 'toolCallId' | 'child'> {
  const { input, schemaEffect, originalInput, journal, resumed, approvedBy } = state;
  const { guard, grant, version, idempotencyKey } = state;
  return {
    input,
    journal,
    ...defined({ schemaEffect, originalInput, resumed }),
    approvedBy,
    guard,
    grant,
    version,
    idempotencyKey,
  };
}

function edited(call: CallToRun, replacement: unknown): CallToRun {
  if (replacement === undefined) return call;
  const { schemaEffect: _before, ...rest } = call;
  return { ...rest, input: replacement, originalInput: call.originalInput ?? call.input };
}

/** Asks for the approval of a changed tool again, and says so. The old interrupt is superseded. */
async function askAgain(
  resumed: CallToResume,
  given: { readonly call: CallToRun; readonly pending: PendingInterrupt; readonly note: string },
  run: RunContext,
): Promise<CallState> {
  const { call, pending, note } = given;
  const held = await makeEdited(resumed, withoutConsent(call), run);
  return held.status === 'waiting' ? superseding(held, pending, note) : held;
}

/** A call that asks again, with the reason in its description. The old interrupt is superseded. */
function superseding(
  held: Extract<CallState, { status: 'waiting' }>,
  { interrupt: { id: supersedes } }: PendingInterrupt,
  note: string,
): CallState {
  const interrupts = held.interrupts.map(({ interrupt, ...rest }) => {
    const { metadata = {} } = interrupt;
    const own = metadata['description'];
    const description = typeof own === 'string' ? `${note} ${own}` : note;
    return { ...rest, interrupt: { ...interrupt, metadata: { ...metadata, description, supersedes } } };
  });
  return { ...held, interrupts };
}

/** A call with other arguments than the approved ones, so without its approval. */
function withoutConsent(call: CallToRun): CallToRun {
  const { approvedBy: _approvedBy, resumed: _resumed, grant: _grant, ...rest } = call;
  return rest;
}

/**
 * "Always allow": for the approved arguments, and under the approvers rule of the interrupt. A grant for a person is for the
 * person who answered.
 */
async function remember(
  reply: Reply,
  { tool, input, schemaEffect }: CallToRun,
  { run, pending }: { readonly run: RunContext; readonly pending: PendingInterrupt },
): Promise<void> {
  const remembered = isRecord(reply.payload) ? reply.payload['remember'] : undefined;
  if (!isRecord(remembered) || tool.destructive || run.grants === undefined) return;
  const { what, where } = remembered;
  // An unknown value of `remember` grants nothing.
  if (what !== 'tool' && what !== 'arguments') return;
  if (where !== 'thread' && where !== 'principal') return;
  // Other arguments run than those that are shown.
  if (what === 'arguments' && schemaEffect?.converted === true) return;
  const limits = ['forMs', 'maxUses', 'maxTotal'].map((name) => ownMember(remembered, name));
  const [forMs, maxUses, maxTotal] = limits.map((limit) => (typeof limit === 'number' ? limit : undefined));
  const { agentId: agent, threadId } = run;
  const approvers = pending.rules?.approvers;
  const { id: interruptId } = pending.interrupt;
  const givenBy = run.answeredBy(interruptId)?.id ?? run.principal?.id;
  await run.grants.add({
    agent,
    ...defined({ approvers }),
    toolName: tool.name,
    ...defined({ toolVersion: tool.version }),
    ...(what === 'arguments' ? { input } : {}),
    ...(where === 'principal' && givenBy !== undefined ? { principalId: givenBy } : { threadId }),
    interruptId,
    ...defined({ givenBy, maxUses, maxTotal }),
    ...defined({ until: forMs === undefined ? undefined : run.clock.now() + forMs }),
  });
}

/** Runs calls that may run. */
export interface MakesCalls {
  /** Whether the agent requires an approval for every call, unless its tool is exempt. */
  readonly requireApproval: boolean;
  /** Runs the call. */
  readonly make: (call: CallToRun) => Promise<CallState>;
}

/**
 * Runs a call with edited arguments. The approval was for the old ones, so the call is decided as if the model had
 * asked for the new ones: a policy may forbid it, and its approvers are asked again.
 */
export async function makeEdited(
  { make, requireApproval }: MakesCalls,
  call: CallToRun,
  run: RunContext,
): Promise<CallState> {
  const checked = await checkArguments(call, run);
  // Running it reports the invalid arguments.
  if (checked === undefined) return make(call);
  const decided = await holdCall(checked, requireApproval, run);
  return decided.type === 'held' ? decided.state : make(decided.call);
}
