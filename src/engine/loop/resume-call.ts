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
import type { CallState, CallToRun, PendingInterrupt, WaitingCall } from '../calls/call-state.ts';
import { answeredGuard, done, failed, isChanged } from '../calls/call-state.ts';
import { approvalOptions } from '../calls/decide-call.ts';
import type { JournalEntry } from '../calls/journal.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import { checkEdits, holdCall, holdEdited } from './make-calls.ts';
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
  const { call, state, tool, replies, make } = resumed;
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
  if (pending.stepKey !== undefined) return resumeSteps(resumed, toRun, run);
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
        if (state.guard?.approval === true) return askAgain(resumed, { call: next, pending }, run);
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
      if (replacement !== undefined) {
        const { requireApproval } = resumed;
        const asked = { approvers: pending.rules?.approvers, requireApproval };
        const held = await holdEdited(withoutConsent(next), asked, run);
        if (held !== undefined) return held;
      }
      if (offersRemember(pending.interrupt)) await remember(reply, next, { run, pending });
      const approvedBy = run.answeredBy(pending.interrupt.id);
      return make({ ...next, resumed: { value: effect.resumed }, approvedBy });
    }
    case 'replay':
      return make(toRun);
  }
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
  const { input, originalInput, journal, resumed, approvedBy, guard, grant, version, idempotencyKey } = state;
  return {
    input,
    journal,
    ...defined({ originalInput, resumed }),
    approvedBy,
    guard,
    grant,
    version,
    idempotencyKey,
  };
}

function edited(call: CallToRun, replacement: unknown): CallToRun {
  if (replacement === undefined) return call;
  return { ...call, input: replacement, originalInput: call.originalInput ?? call.input };
}

/** Asks for the approval of a changed tool again, and says so. The old interrupt is superseded. */
async function askAgain(
  resumed: CallToResume,
  { call, pending }: { readonly call: CallToRun; readonly pending: PendingInterrupt },
  run: RunContext,
): Promise<CallState> {
  const { tool, state } = resumed;
  const held = await makeEdited(resumed, withoutConsent(call), run);
  if (held.status !== 'waiting') return held;
  const note = `${tool.name} changed after it was approved (version ${state.version ?? 'none'}, now ${tool.version ?? 'none'}).`;
  const interrupts = held.interrupts.map(({ interrupt, ...rest }) => {
    const { metadata = {} } = interrupt;
    const own = metadata['description'];
    const description = typeof own === 'string' ? `${note} ${own}` : note;
    const supersedes = pending.interrupt.id;
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
  { tool, input }: CallToRun,
  { run, pending }: { readonly run: RunContext; readonly pending: PendingInterrupt },
): Promise<void> {
  const remembered = isRecord(reply.payload) ? reply.payload['remember'] : undefined;
  if (!isRecord(remembered) || tool.destructive || run.grants === undefined) return;
  const { what, where } = remembered;
  // An unknown value of `remember` grants nothing.
  if (what !== 'tool' && what !== 'arguments') return;
  if (where !== 'thread' && where !== 'principal') return;
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
  const checked = await checkEdits(call, run);
  // Running it reports the invalid arguments.
  if (checked === undefined) return make(call);
  const decided = await holdCall(checked, requireApproval, run);
  return decided.type === 'held' ? decided.state : make(decided.call);
}
