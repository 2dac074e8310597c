import { checkOptions, HoldpointError, whyNotJson } from '../../core/index.ts';
import type { InferOutput, SchemaLike } from '../../core/schema/index.ts';
import { validateWithSchema } from '../../core/schema/index.ts';
import type { Journal } from './journal.ts';
import type { AskOptions, PausingContext, ToolContext, ToolEmitter } from '../tools/tool-context.ts';
import { askOptionsCheck } from '../tools/check-options.ts';
import type { InterruptPart } from '../tools/tool-replies.ts';
import type { RunContext } from './run-context.ts';

/** `ask`, `step` and the other functions of a running body, over its journal. */
export function createPausing(
  journal: Journal<BodyAsk>,
  run: Pick<
    RunContext,
    'signal' | 'emitter' | 'state' | 'threadId' | 'runId' | 'principal' | 'secrets' | 'files'
  >,
  signal: AbortSignal = run.signal,
): PausingContext {
  const { emitter, state, threadId, runId, principal, secrets, files } = run;
  return {
    async ask<Schema extends SchemaLike>(
      name: string,
      options: AskOptions<Schema>,
    ): Promise<InferOutput<Schema>> {
      checkOptions(`options of the ask ${name}`, options, askOptionsCheck);
      const kept = await journal.ask(name, { options });
      const value = secrets === undefined ? kept : secrets.open(kept);
      const skipped = options.optional === true && value === null;
      // Without a schema the type of the answer is unknown, so any JSON fits.
      if (options.schema === undefined || skipped) return value as InferOutput<Schema>;
      const checked = await validateWithSchema(options.schema, value);
      if (checked.ok) return checked.value;
      const sentence = `The answer to ${name} does not fit the current schema of the tool.`;
      throw new HoldpointError('ANSWER_INVALID', sentence, { issues: checked.issues });
    },
    step: (name, body, options) => journal.step(name, body, options),
    signal,
    files: {
      async read(id) {
        const file = await files?.read(id).catch(failedRead);
        if (file !== undefined) return file;
        throw new HoldpointError('NOT_FOUND', `The thread ${threadId} has no file ${id}.`);
      },
    },
    emit: {
      activity: (messageId, activityType, content) => {
        assertJson('activity', content);
        emitter.activity(messageId, activityType, content);
      },
      state: (patch) => {
        assertJson('state', patch);
        state.patch(patch);
        emitter.stateDelta(patch);
      },
      custom: (name, value) => {
        assertJson('custom', value);
        emitter.custom(name, value);
      },
      step: (name) => emitter.step(name),
    },
    get state() {
      return state.value;
    },
    threadId,
    runId,
    principal,
  };
}

const failedReads = new WeakSet<object>();

/** Whether an error is a failed read of this run, such as of a file. It fails the run: it is not a result for the model. */
export function isFailedRead(error: unknown): boolean {
  return typeof error === 'object' && error !== null && failedReads.has(error);
}

function failedRead(cause: unknown): never {
  if (HoldpointError.is(cause) && cause.code !== 'STORE_FAILED') throw cause;
  const error = new HoldpointError('STORE_FAILED', 'A file of the thread could not be read.', { cause });
  failedReads.add(error);
  throw error;
}

/** Shown values are stored, so a value that is not JSON is rejected here. */
function assertJson(name: keyof ToolEmitter, value: unknown): void {
  const why = whyNotJson(value);
  if (why === undefined) return;
  throw new HoldpointError('TOOL_FAILED', `emit.${name} was given a value that is not JSON: ${why}.`);
}

/** An interrupt of a body, or of work that it delegated. */
export type BodyAsk = { readonly options: AskOptions } | { readonly part: InterruptPart };

interface Internals {
  readonly journal: Journal<BodyAsk>;
  readonly run: RunContext;
}

const internals = new WeakMap<ToolContext, Internals>();

/** Stores the internals of a context outside the object that its author sees. */
export function setInternals(context: ToolContext, behind: Internals): void {
  internals.set(context, behind);
}

/** The internals of a context, for agents in plain code, which delegate work. */
export function internalsOf(context: ToolContext): Internals {
  const behind = internals.get(context);
  if (behind === undefined)
    throw new HoldpointError('INTERNAL', 'This is not the context that the tool was given.');
  return behind;
}
