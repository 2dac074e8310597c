import { faultPoint, hasFaultHook, HoldpointError } from '../../core/index.ts';
import { validateWithSchema } from '../../core/schema/index.ts';
import type { JournalEntry, JournalHooks, OpenAsk } from '../journal/journal.ts';
import { createJournal } from '../journal/journal.ts';
import { isSuspension, SUSPENSION } from '../journal/suspension.ts';
import type { InterruptOptions, ToolContext } from '../tools/tool-context.ts';
import type { BodyQuestion } from './body-question.ts';
import type { CallToRun } from './call-to-run.ts';
import type { Checkpoints } from './checkpoints.ts';
import { setInternals } from './context-internals.ts';
import { createPausing } from './pausing-context.ts';
import { stepExecution } from './recovery.ts';
import type { RunContext } from './run-context.ts';
import { NEVER } from './run-context.ts';

/** How a run of a body ended. */
export type BodyOutcome =
  | { readonly type: 'returned'; readonly output: unknown }
  | { readonly type: 'threw'; readonly error: unknown; readonly journal: readonly JournalEntry[] }
  | {
      readonly type: 'interrupted';
      readonly options: InterruptOptions;
      readonly journal: readonly JournalEntry[];
    }
  | {
      readonly type: 'asked';
      readonly asks: readonly OpenAsk<BodyQuestion>[];
      readonly journal: readonly JournalEntry[];
    }
  | { readonly type: 'mismatch'; readonly unused: readonly string[] };

/** Runs the body of a tool once. That it waits holds even when the body catches the signal; the catch is reported. */
export async function runBody(
  call: CallToRun & { readonly rawInput: unknown },
  run: RunContext,
): Promise<BodyOutcome> {
  const { tool, toolCallId, input } = call;
  const { checkpoints } = run;
  const hooks = checkpoints === undefined ? undefined : stepHooks(checkpoints, toolCallId);
  const journal = createJournal<BodyQuestion>(call.journal ?? [], hooks);
  if (checkpoints !== undefined) await begin(call, checkpoints);
  const limit =
    tool.timeoutMs === undefined && run.signal === NEVER ? NO_LIMIT : timeLimit(tool.timeoutMs, run.signal);
  let interrupt: InterruptOptions | undefined;

  const context: ToolContext = {
    ...createPausing(journal, run, limit.signal),
    resumed: await resumedWith(call, run),
    originalInput: call.originalInput ?? call.rawInput,
    idempotencyKey: `${run.threadId}:${toolCallId}`,
    toolCallId,
    approvedBy: call.approvedBy,
    interrupt(options = {}) {
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

  const result = await settled(limit.race(invoke()));
  limit.clear();
  if (checkpoints !== undefined && hasFaultHook()) await faultPoint('tool:after');
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
  if (interrupt !== undefined) return { type: 'interrupted', options: interrupt, journal: journal.entries };
  if ('error' in result) return { type: 'threw', error: result.error, journal: journal.entries };
  return { type: 'returned', output: result.output };
}

/** The answer that a body is run with, its secrets in their places. */
async function resumedWith({ tool, resumed }: CallToRun, { secrets }: RunContext): Promise<unknown> {
  if (resumed === undefined || secrets === undefined) return resumed?.value;
  const value = secrets.open(resumed.value);
  if (resumed.unread !== true || tool.resume === undefined) return value;
  const checked = await validateWithSchema(tool.resume, value);
  if (checked.ok) return checked.value;
  throw new HoldpointError('ANSWER_INVALID', `The answer to ${tool.name} does not fit what it asks now.`);
}

/** That a body begins is kept before it does, unless it may be run again. */
async function begin({ tool, toolCallId }: CallToRun, checkpoints: Checkpoints): Promise<void> {
  if (tool.hidden === true) return;
  if (!tool.idempotent) await checkpoints.starting(toolCallId);
  if (hasFaultHook()) await faultPoint('tool:before');
  checkpoints.assertHeld();
}

function stepHooks(checkpoints: Checkpoints, toolCallId: string): JournalHooks {
  return {
    async starting(key) {
      await checkpoints.starting(stepExecution(toolCallId, key));
      await faultPoint('step:before');
      checkpoints.assertHeld();
    },
    async finished(entry) {
      await faultPoint('step:after');
      checkpoints.finished(stepExecution(toolCallId, entry.key), entry);
    },
  };
}

async function settled(work: Promise<unknown>): Promise<{ output: unknown } | { error: unknown }> {
  try {
    return { output: await work };
  } catch (error) {
    return { error };
  }
}

/** A body that nothing stops needs no signal of its own. */
const NO_LIMIT: TimeLimit = { signal: NEVER, race: (work) => work, clear: () => undefined };

interface TimeLimit {
  readonly signal: AbortSignal;
  readonly race: (work: Promise<unknown>) => Promise<unknown>;
  readonly clear: () => void;
}

/** A body's own signal: fires with the run's, and when its time is up. */
function timeLimit(milliseconds: number | undefined, outer: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const abort = () => controller.abort(outer.reason);
  if (outer.aborted) abort();
  else outer.addEventListener('abort', abort, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(toError(controller.signal.reason)), {
      once: true,
    });
  });
  stopped.catch(() => undefined);
  if (milliseconds !== undefined) {
    timer = setTimeout(() => {
      controller.abort(new HoldpointError('TOOL_FAILED', `it did not finish within ${milliseconds} ms.`));
    }, milliseconds);
  }
  return {
    signal: controller.signal,
    race: (work: Promise<unknown>) => Promise.race([work, stopped]),
    clear: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', abort);
    },
  };
}

function toError(reason: unknown): Error {
  return reason instanceof Error
    ? reason
    : new HoldpointError('INTERNAL', 'The run was stopped.', { cause: reason });
}
