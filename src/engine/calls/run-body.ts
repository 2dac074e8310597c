import { checkOptions, faultPoint, hasFaultHook, HoldpointError, publicMessage } from '../../core/index.ts';
import { validateWithSchema } from '../../core/schema/index.ts';
import type { JournalEntry, JournalHooks, OpenAsk } from './journal.ts';
import { createJournal, isSuspension, SUSPENSION } from './journal.ts';
import type { InterruptOptions, ToolContext } from '../tools/tool-context.ts';
import { interruptOptionsCheck } from '../tools/check-options.ts';
import type { CallToRun } from './call-state.ts';
import type { Checkpoints } from './checkpoints.ts';
import { stepExecution } from './checkpoints.ts';
import type { BodyAsk } from './pausing-context.ts';
import { createPausing, setInternals } from './pausing-context.ts';
import type { RunContext } from './run-context.ts';
import type { BodyEnd } from './time-limit.ts';
import { earlierBody, keepGoing, limitTime } from './time-limit.ts';

/** The outcome of a run of a body. */
export type BodyOutcome =
  | { readonly type: 'returned'; readonly output: unknown }
  | { readonly type: 'threw'; readonly error: unknown; readonly journal: readonly JournalEntry[] }
  | {
      readonly type: 'interrupted';
      readonly options: InterruptOptions;
      /** Whether the body has read `ctx.resumed`. */
      readonly readsResumed: boolean;
      readonly journal: readonly JournalEntry[];
    }
  | {
      readonly type: 'asked';
      readonly asks: readonly OpenAsk<BodyAsk>[];
      readonly journal: readonly JournalEntry[];
    }
  /** The time limit is over, and the body continues. */
  | {
      readonly type: 'overdue';
      readonly journal: readonly JournalEntry[];
      /** The running steps. */
      readonly openSteps: readonly string[];
    }
  | { readonly type: 'mismatch'; readonly unused: readonly string[] };

/** A call with a body to run. */
type BodyToRun = CallToRun & { readonly rawInput: unknown; readonly idempotencyKey: string };

/** Runs the body of a tool once. It is suspended even if it catches the suspension; the catch is reported. */
export async function runBody(call: BodyToRun, run: RunContext): Promise<BodyOutcome> {
  const { tool, toolCallId, input, idempotencyKey } = call;
  const { checkpoints } = run;
  const journal = createJournal<BodyAsk>(
    call.journal ?? [],
    stepHooks(checkpoints, toolCallId, () => limit.signal),
  );
  const resumed = await resumedWith(call, run);
  if (checkpoints !== undefined) await begin(call, checkpoints);
  const limit = limitTime(tool.timeoutMs, run.signal);
  let interrupt: InterruptOptions | undefined;
  let readsResumed = false;

  const context: ToolContext = {
    ...createPausing(journal, run, limit.signal),
    get resumed() {
      readsResumed = true;
      return resumed;
    },
    originalInput: call.originalInput ?? call.rawInput,
    idempotencyKey,
    toolCallId,
    approvedBy: call.approvedBy,
    interrupt(options = {}) {
      checkOptions(`options of ctx.interrupt in ${tool.name}`, options, interruptOptionsCheck);
      interrupt ??= options;
      throw SUSPENSION;
    },
  };
  if (tool.hidden === true) setInternals(context, { journal, run });
  const invoke = run.toolMiddleware.reduceRight<(given?: unknown) => Promise<unknown>>(
    (next, middleware) =>
      (given = input) =>
        middleware({ tool, input: given, context }, next),
    (given = input) => tool.run(given, context),
  );

  const earlier = earlierBody(idempotencyKey);
  const body = ended(async () => {
    if (earlier !== undefined) {
      await earlier;
      limit.signal.throwIfAborted();
      checkpoints?.entering();
    }
    return invoke();
  });
  const result = await limit.race(body);
  limit.clear();
  if (checkpoints !== undefined && hasFaultHook()) await faultPoint('tool:after');
  if (result === undefined) {
    keepGoing(idempotencyKey, body);
    run.signal.throwIfAborted();
    return { type: 'overdue', journal: journal.entries, openSteps: journal.openSteps };
  }
  if (journal.used && (journal.openAsks.length > 0 || interrupt !== undefined)) await journal.settle();
  const waits = interrupt !== undefined || journal.openAsks.length > 0;
  if (waits && !('error' in result && isSuspension(result.error))) {
    run.warn(`${tool.name} caught the signal that it waits. It waits all the same; let the signal pass.`);
  }
  run.signal.throwIfAborted();
  if ((waits || 'output' in result) && journal.unused.length > 0) {
    return { type: 'mismatch', unused: journal.unused };
  }
  if (journal.openAsks.length > 0) return { type: 'asked', asks: journal.openAsks, journal: journal.entries };
  if (interrupt !== undefined)
    return { type: 'interrupted', options: interrupt, readsResumed, journal: journal.entries };
  if ('error' in result) return { type: 'threw', error: result.error, journal: journal.entries };
  return { type: 'returned', output: result.output };
}

/** The answer for a body, with its secrets in place. */
async function resumedWith({ tool, resumed }: CallToRun, { secrets }: RunContext): Promise<unknown> {
  if (resumed === undefined || secrets === undefined) return resumed?.value;
  const value = secrets.open(resumed.value);
  if (resumed.unread !== true || tool.resume === undefined) return value;
  const checked = await validateWithSchema(tool.resume, value);
  if (checked.ok) return checked.value;
  throw new HoldpointError('ANSWER_INVALID', `The answer to ${tool.name} does not fit its current schema.`);
}

/** Stores that the body starts before it does. Plain code stores its steps instead. */
async function begin(
  { tool, toolCallId, idempotencyKey }: BodyToRun,
  checkpoints: Checkpoints,
): Promise<void> {
  if (tool.hidden !== true) {
    await checkpoints.starting(toolCallId, { idempotencyKey });
    if (hasFaultHook()) await faultPoint('tool:before');
  }
  checkpoints.entering();
}

/** No step starts after its body was told to stop. */
function stepHooks(
  checkpoints: Checkpoints | undefined,
  toolCallId: string,
  signal: () => AbortSignal,
): JournalHooks {
  const failed = (key: string, error: unknown, more: Pick<JournalEntry, 'unstarted'> = {}) => {
    const entry: JournalEntry = { key, kind: 'step', error: publicMessage(error), ...more };
    checkpoints?.finished(stepExecution(toolCallId, key), entry);
  };
  return {
    async starting(key, { idempotent }) {
      signal().throwIfAborted();
      if (checkpoints !== undefined && !idempotent) {
        await checkpoints.starting(stepExecution(toolCallId, key));
        await faultPoint('step:before');
        if (signal().aborted) failed(key, signal().reason, { unstarted: true });
      }
      signal().throwIfAborted();
      checkpoints?.entering();
    },
    async finished(entry) {
      if (checkpoints === undefined) return;
      await faultPoint('step:after');
      checkpoints.finished(stepExecution(toolCallId, entry.key), entry);
    },
    failed,
  };
}

async function ended(body: () => Promise<unknown>): Promise<BodyEnd> {
  try {
    return { output: await body() };
  } catch (error) {
    return { error };
  }
}
