import { cancelledText } from '../../content/interrupts/index.ts';
import type { Issue } from '../../core/index.ts';
import { defined, HoldpointError, publicMessage, whyNotJson } from '../../core/index.ts';
import { hasSecrets, validateWithSchema } from '../../core/schema/index.ts';
import type { DisplayedCall } from '../tools/tool.ts';
import { displayedValue, outputSchema } from '../tools/tool.ts';
import type { CallState, CallToRun, PendingInterrupt } from './call-state.ts';
import { done, failed, waiting } from './call-state.ts';
import type { Recovery } from './checkpoints.ts';
import type { JournalEntry } from './journal.ts';
import {
  askInterrupt,
  callName,
  doubtInterrupts,
  interruptRules,
  recoveryInterrupt,
  respondInterrupt,
  restartInterrupt,
  titleOf,
} from './interrupts.ts';
import type { BodyOutcome } from './run-body.ts';
import { isFailedRead } from './pausing-context.ts';
import { runBody } from './run-body.ts';
import type { RunContext } from './run-context.ts';
import { runSubagent } from './run-subagent.ts';
import type { CheckedCall } from './shown-arguments.ts';
import { inputOf, typedInput, withShownArguments } from './shown-arguments.ts';

/** A call with its idempotency key. */
export type KeyedCall = CallToRun & { readonly idempotencyKey: string };

/** The result of a call that was not started. */
const STOPPED_TEXT = 'Cancelled: the run was stopped.';

/**
 * Runs a call and returns its result or its interrupts. Throws only for an abort, a lost run, and failed code of an
 * agent.
 */
export async function executeCall(given: CallToRun, run: RunContext): Promise<CallState> {
  if (run.checkpoints?.cancelSignal.aborted === true) return failed(STOPPED_TEXT);
  const keyed = withKey(given, run);
  const read = await readInput(keyed, run);
  const call = read.ok ? read.call : keyed;
  const state = read.ok
    ? asJson(call, await attempt(read.call, run), run)
    : failed(`The arguments of ${call.tool.name} are not valid: ${sentence(read.issues)}`);
  const outcome: CallState =
    state.status === 'waiting'
      ? state
      : {
          ...state,
          ...defined({ title: titleOf(call, run), display: displayOf(call, state, run), grant: call.grant }),
          ...(call.originalInput === undefined ? {} : { ranWith: call.input }),
        };
  run.checkpoints?.finished(call.toolCallId, outcome);
  return outcome;
}

/** The call with its checked arguments, or the issues of the arguments. */
async function readInput<Call extends CallToRun>(
  call: Call,
  run: RunContext,
): Promise<
  | { readonly ok: true; readonly call: Call & CheckedCall }
  | { readonly ok: false; readonly issues: readonly Issue[] }
> {
  const { tool, checked } = call;
  if (checked !== undefined) return { ok: true, call: { ...call, checked } };
  const result = await validateWithSchema(tool.input, inputOf(call, run));
  return result.ok ? { ok: true, call: { ...call, checked: { value: result.value } } } : result;
}

/** The tool's texts for the arguments that ran, and for the output. */
function displayOf(
  call: CallToRun,
  state: Extract<CallState, { status: 'done' }>,
  run: RunContext,
): DisplayedCall | undefined {
  const { tool, originalInput } = call;
  // Edited arguments have a marker in the place of a secret, which a tool cannot write.
  const isWritable = originalInput === undefined || !hasSecrets(tool.inputSchema);
  const display: DisplayedCall = defined({
    input: isWritable ? displayedValue(tool.display.input, typedInput(call, run)) : undefined,
    output: state.error === undefined ? displayedValue(tool.display.output, state.output) : undefined,
  });
  return Object.keys(display).length === 0 ? undefined : display;
}

async function attempt(checked: KeyedCall & CheckedCall, run: RunContext): Promise<CallState> {
  const { tool, input } = checked;
  const { value } = checked.checked;
  if (tool.kind === 'interrupt') {
    const call = await withShownArguments(checked, run);
    const interrupt = await respondInterrupt(call, run);
    return waiting([{ kind: 'respond', interrupt, ...interruptRules(tool.interruptOptions ?? {}) }], call);
  }
  if (tool.kind === 'agent') return runSubagent({ ...checked, input: value }, run);
  if (checked.journal !== undefined && checked.journal.length > 0 && checked.version !== tool.version) {
    return mismatch(await withShownArguments(checked, run), run, 'it has another version now');
  }
  const outcome = await runBody({ ...checked, input: value, rawInput: input }, run);
  if (outcome.type === 'returned') return checkedOutput(checked, outcome.output, run);
  // Every other outcome may wait for a person.
  const call = await withShownArguments(checked, run);
  switch (outcome.type) {
    case 'interrupted': {
      const interrupt = restartInterrupt(call, outcome.options, run);
      warnOfForm(call, outcome, run);
      const pending = { kind: 'restart' as const, interrupt, ...interruptRules(outcome.options) };
      return waiting([pending], { ...call, journal: outcome.journal });
    }
    case 'asked': {
      const interrupts = outcome.asks.map(({ key, name, ask }): PendingInterrupt => {
        if ('part' in ask) {
          const { kind, toolName, interrupt, rules } = ask.part;
          return { kind, toolName, interrupt, askKey: key, ...defined({ rules }) };
        }
        const about = tool.hidden === true ? undefined : call;
        const interrupt = askInterrupt({ name, ...ask }, about, run);
        return { kind: 'ask', interrupt, askKey: key, ...interruptRules(ask.options) };
      });
      return waiting(interrupts, { ...call, journal: outcome.journal });
    }
    case 'mismatch':
      return mismatch(call, run, `it no longer asks for ${outcome.unused.join(', ')}`);
    case 'threw':
      return threw(call, outcome, run);
    case 'overdue':
      return overdue(call, outcome, run);
  }
}

/** Warns about a tool that does not say what the answer to its `ctx.interrupt` is. */
function warnOfForm(
  { tool, resumed }: CallToRun,
  { options, readsResumed }: Extract<BodyOutcome, { type: 'interrupted' }>,
  run: RunContext,
): void {
  const { name, resume, output } = tool;
  if (resume !== undefined) return;
  if ((options.schema ?? output) === undefined) {
    if (resumed === undefined) return;
    run.warn(
      `${name} asks again after its answer, because its body ran again. Declare \`output\` if the answer is the output of the call, or \`resume\` if the body reads it.`,
    );
  } else if (readsResumed && run.checkpoints !== undefined) {
    run.warn(
      `${name} reads \`ctx.resumed\` and declares no \`resume\`: the answer to its interrupt is the output of the call, and its body does not run again. Declare \`resume\` to run it again.`,
    );
  }
}

/** A call with its key: the stored one if there is one. */
export function withKey(call: CallToRun, { checkpoints, threadId }: RunContext): KeyedCall {
  if (isKeyed(call)) return call;
  const { toolCallId } = call;
  const idempotencyKey = checkpoints?.idempotencyKey(toolCallId) ?? `${threadId}:${toolCallId}`;
  return { ...call, idempotencyKey };
}

function isKeyed(call: CallToRun): call is KeyedCall {
  return call.idempotencyKey !== undefined;
}

/** If a body no longer fits its journal, a person decides. */
function mismatch(call: CallToRun, run: RunContext, why: string): CallState {
  const message = `${call.tool.name} was changed while it waited: ${why}. Begin it again with the answers given so far?`;
  run.warn(`JOURNAL_MISMATCH: ${message}`);
  const trouble = { message, actions: ['restart', 'abort'], code: 'JOURNAL_MISMATCH' as const };
  return waiting([recoveryInterrupt(call, trouble, run)], call);
}

function threw(
  call: CallToRun,
  outcome: { readonly error: unknown; readonly journal: readonly JournalEntry[] },
  run: RunContext,
): CallState {
  const { tool } = call;
  const { error } = outcome;
  if (HoldpointError.is(error, 'ANSWER_CANCELLED')) {
    const { by, withdrawn } = error.details ?? {};
    return failed(
      cancelledText({ by: typeof by === 'string' ? { id: by } : undefined, isWithdrawn: withdrawn === true }),
    );
  }
  // An error in the code of an agent ends the run, as does a read that failed; it is not a result.
  if (tool.hidden === true || isFailedRead(error)) throw error;
  run.warn(`The tool ${tool.name} failed.`, { call: call.toolCallId, tool: tool.name, err: error });
  const message = publicMessage(error);
  if (tool.onError === 'result') return failed(`${tool.name} failed: ${message}`);
  const trouble = {
    message: `${callName(call, run)} failed: ${message}`,
    actions: ['retry', 'skip', 'abort'],
    code: 'TOOL_FAILED' as const,
  };
  return waiting([recoveryInterrupt(call, trouble, run)], { ...call, journal: outcome.journal });
}

/** A body that continues after its time limit: an idempotent call has failed; otherwise a person decides. */
function overdue(
  call: CallToRun,
  { journal, openSteps }: Extract<BodyOutcome, { type: 'overdue' }>,
  run: RunContext,
): CallState {
  const { tool } = call;
  const happened = `did not finish within ${tool.timeoutMs} ms and is still at work.`;
  if (tool.idempotent) {
    const error = new HoldpointError('TOOL_FAILED', `it ${happened}`);
    return threw(call, { error, journal }, run);
  }
  const doubt = { steps: openSteps, happened, code: 'TOOL_FAILED' as const };
  return waiting(doubtInterrupts(call, doubt, run), { ...call, journal });
}

/** Outputs and interrupts must be JSON, because they are stored. */
function asJson({ tool }: CallToRun, state: CallState, run: RunContext): CallState {
  // The output of plain code in process may be any value.
  if (tool.hidden === true && run.checkpoints === undefined) return state;
  const [what, values] =
    state.status === 'done'
      ? ['returned', [state.output]]
      : ['asked with', state.interrupts.map(({ interrupt }) => interrupt)];
  for (const value of values) {
    const why = whyNotJson(value);
    if (why === undefined) continue;
    const sentence = (who: string) => `The ${who} ${what} a value that is not JSON: ${why}.`;
    if (tool.hidden === true) throw new HoldpointError('TOOL_FAILED', sentence('agent'));
    return failed(sentence(`tool ${tool.name}`));
  }
  return state;
}

async function checkedOutput(call: CallToRun, output: unknown, run: RunContext): Promise<CallState> {
  const { tool } = call;
  const schema = outputSchema(tool, typedInput(call, run));
  const checked = schema === undefined ? { ok: true as const } : await validateWithSchema(schema, output);
  if (checked.ok) return done(output);
  return failed(`${tool.name} gave something else than it says: ${sentence(checked.issues)}`);
}

function sentence(issues: readonly Issue[]): string {
  return issues
    .slice(0, 5)
    .map(({ pointer, message }) => `${pointer === '' ? '' : `${pointer} `}${message}`)
    .join('; ');
}

/**
 * Recovers a call that a lost run may have made already. A call that is idempotent or did not start runs now. Any other call
 * has an unknown outcome, so a person is asked. A body that uses steps is in doubt only for the steps that were running. In a
 * turn from a backup, the whole body is in doubt, because the backup does not have later steps.
 */
export async function recoverCall(given: CallToRun, left: Recovery, run: RunContext): Promise<CallState> {
  const { tool, toolCallId, journal = [] } = given;
  if (tool.idempotent) return executeCall(given, run);
  const keyed = withKey(given, run);
  const read = await readInput(keyed, run);
  // Invalid arguments are shown as they are; running the call reports them.
  const call = read.ok ? await withShownArguments(read.call, run) : keyed;
  const openSteps = left.mayHaveRun ? [] : left.openStepsOf(toolCallId);
  const stepErrors = new Map(
    openSteps.flatMap((step) => {
      const error = left.stepErrorOf(toolCallId, step);
      return error === undefined ? [] : [[step, error] as const];
    }),
  );
  const happened = left.mayHaveRun ? 'was restored from a backup.' : 'was at work when its run ended.';
  const doubt = { steps: openSteps, stepErrors, happened, code: 'RUN_LOST' as const };
  if (openSteps.length > 0) return waiting(doubtInterrupts(call, doubt, run), call);
  const keepsSteps = !left.mayHaveRun && (tool.hidden === true || journal.some(({ kind }) => kind !== 'ask'));
  if (keepsSteps || !left.hasBegun(toolCallId)) return executeCall(call, run);
  return waiting(doubtInterrupts(call, doubt, run), call);
}
