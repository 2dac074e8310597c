import { defined, HoldpointError, jsonCopy, nextTurn } from '../../core/index.ts';

/** The finished work of a paused body, as JSON. */
export interface JournalEntry {
  /** `step` or `ask`, its name and its occurrence. */
  readonly key: string;
  readonly kind: 'step' | 'ask' | 'delegate';
  /** The result of a step, the answer of an ask, or the result or state of a delegate. */
  readonly value?: unknown;
  /** An ask that was cancelled. */
  readonly cancelled?: true;
  /** The principal who cancelled the ask; absent when it expired. */
  readonly by?: string;
  /** A cancelled ask that its asker took back. */
  readonly withdrawn?: true;
  /** An answer that is the output of its call: a body that called `ctx.interrupt` does not run again. */
  readonly responds?: true;
  /** A delegate that waits. */
  readonly unfinished?: true;
  /** A step that ended with this error. It is not done, and a rerun of its body repeats it. */
  readonly error?: string;
  /** A step that failed before its code started. */
  readonly unstarted?: true;
}

/** The outcome of delegated work. */
export type DelegateOutcome<Ask> =
  | { readonly status: 'done'; readonly value: unknown }
  | {
      readonly status: 'waiting';
      /** Passed back when the delegate continues. */
      readonly pending: unknown;
      readonly asks: readonly { readonly id: string; readonly ask: Ask }[];
    };

/** An interrupt that a body waits for. */
export interface OpenAsk<Ask> {
  readonly key: string;
  readonly name: string;
  readonly ask: Ask;
}

export interface StepOptions {
  /** Whether the step may run again after a crash without asking a person. Default false. */
  readonly idempotent?: boolean;
}

/** Replays finished work and records new work; one for each run of a body. */
export interface Journal<Ask> {
  /** Returns the result of a finished step, or runs it and records its result. A step that throws is not recorded. */
  step<Value>(name: string, run: () => Value | Promise<Value>, options?: StepOptions): Promise<Value>;
  /** Returns the answer, throws `ANSWER_CANCELLED`, or suspends. */
  ask(name: string, ask: Ask): Promise<unknown>;
  /**
   * Delegates work that may wait: its interrupts become those of this body, and it continues with its state and the
   * answers by id.
   */
  delegate(
    name: string,
    attempt: (
      pending: unknown,
      answers: ReadonlyMap<string, JournalEntry>,
      key: string,
    ) => Promise<DelegateOutcome<Ask>>,
  ): Promise<unknown>;
  /** Whether the body has used ask, step or delegate. */
  readonly used: boolean;
  /** Waits until no step is running, so that no started step is lost. */
  settle(): Promise<void>;
  readonly openAsks: readonly OpenAsk<Ask>[];
  /** Keys of running steps that must not run twice. */
  readonly openSteps: readonly string[];
  readonly entries: readonly JournalEntry[];
  /** Recorded keys that the body did not request again: the body has changed. */
  readonly unused: readonly string[];
}

/** Called for each step. */
export interface JournalHooks {
  /** Called before a step; the step starts when it resolves. */
  starting(key: string, options: Required<StepOptions>): Promise<void>;
  finished(entry: JournalEntry): Promise<void>;
  /** Called for a step that threw and must not run twice. */
  failed(key: string, error: unknown): void;
}

export function createJournal<Ask>(recorded: readonly JournalEntry[], hooks?: JournalHooks): Journal<Ask> {
  const known = new Map(recorded.map((entry) => [entry.key, entry]));
  const unused = new Set(known.keys());
  const counts = new Map<string, number>();
  const running = new Set<Promise<unknown>>();
  const atWork = new Set<string>();
  const openAsks: OpenAsk<Ask>[] = [];

  const nextKey = (kind: string, name: string): string => {
    const base = `${kind}:${name}`;
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    return count === 1 ? base : `${base}#${count}`;
  };
  const recall = (key: string): JournalEntry | undefined => {
    unused.delete(key);
    return known.get(key);
  };

  /** The result of a step. Reports its error; a step that asks a person has none. */
  const ended = async <Value>(key: string, run: () => Value | Promise<Value>): Promise<Value> => {
    try {
      return await run();
    } catch (error) {
      if (!isSuspension(error)) hooks?.failed(key, error);
      throw error;
    }
  };

  return {
    async step<Value>(
      name: string,
      run: () => Value | Promise<Value>,
      { idempotent = false }: StepOptions = {},
    ): Promise<Value> {
      const key = nextKey('step', name);
      const entry = recall(key);
      // Results were stored as JSON, so they have their old type.
      if (entry !== undefined) return entry.value as Value;
      const work = (async () => {
        if (hooks !== undefined) await hooks.starting(key, { idempotent });
        if (!idempotent) atWork.add(key);
        const value = idempotent ? await run() : await ended(key, run);
        const kept: JournalEntry = { key, kind: 'step', value: toJson(value, name) };
        known.set(key, kept);
        if (hooks !== undefined) await hooks.finished(kept);
        return value;
      })();
      running.add(work);
      try {
        return await work;
      } finally {
        running.delete(work);
        atWork.delete(key);
      }
    },
    ask(name, ask) {
      const key = nextKey('ask', name);
      const entry = recall(key);
      if (entry?.cancelled === true) {
        const { by, withdrawn } = entry;
        const happened = withdrawn === true ? 'withdrawn' : 'cancelled';
        const sentence = `The interrupt ${name} was ${happened}${by === undefined ? '' : ` by ${by}`}.`;
        return rejected(
          new HoldpointError('ANSWER_CANCELLED', sentence, { details: defined({ by, withdrawn }) }),
        );
      }
      if (entry !== undefined) return Promise.resolve(entry.value);
      openAsks.push({ key, name, ask });
      return rejected(SUSPENSION);
    },
    async delegate(name, attempt) {
      const key = nextKey('delegate', name);
      const entry = recall(key);
      if (entry !== undefined && entry.unfinished !== true) return entry.value;
      const answers = new Map<string, JournalEntry>();
      for (const [answerKey, answer] of known) {
        if (!answerKey.startsWith(`${key}/`)) continue;
        answers.set(answerKey.slice(key.length + 1), answer);
        unused.delete(answerKey);
      }
      const work = attempt(entry?.value, answers, key);
      running.add(work);
      const outcome = await work.finally(() => running.delete(work));
      for (const id of answers.keys()) known.delete(`${key}/${id}`);
      if (outcome.status === 'done') {
        const kept: JournalEntry = { key, kind: 'delegate', value: toJson(outcome.value, name) };
        known.set(key, kept);
        if (hooks !== undefined) await hooks.finished(kept);
        return outcome.value;
      }
      known.set(key, { key, kind: 'delegate', value: outcome.pending, unfinished: true });
      for (const { id, ask } of outcome.asks) openAsks.push({ key: `${key}/${id}`, name, ask });
      throw SUSPENSION;
    },
    async settle() {
      do {
        await Promise.allSettled(running);
        // One turn of the event loop lets the code after a step reach its next step.
        await nextTurn();
      } while (running.size > 0);
    },
    get used() {
      return counts.size > 0;
    },
    get openSteps() {
      return [...atWork];
    },
    get openAsks() {
      return openAsks;
    },
    get entries() {
      return [...known.values()];
    },
    get unused() {
      return [...unused];
    },
  };
}

/** A rejected promise that does not count as unhandled. */
function rejected(error: Error): Promise<never> {
  const promise = Promise.reject(error);
  promise.catch(() => undefined);
  return promise;
}

function toJson(value: unknown, name: string): unknown {
  if (value === undefined) return undefined;
  try {
    return jsonCopy(value);
  } catch (cause) {
    throw new HoldpointError('TOOL_FAILED', `The step ${name} returned a value that is not JSON.`, { cause });
  }
}

const brand = Symbol.for('holdpoint.suspension');

class Suspension extends Error {
  override readonly name = 'HoldpointSuspension';
  readonly [brand] = true;
}

/**
 * Unwinds the body of a tool that waits for a person. Do not catch it: a body that does is suspended anyway, and the
 * catch is reported. It is a single object, because a stack trace for each pause would cost more than the rest of
 * the pause.
 */
export const SUSPENSION: Error = new Suspension(
  'The tool waits for an answer. This is not a failure: let it pass, or rethrow it.',
);

/**
 * Whether an error is the suspension of a tool; rethrow it in a catch.
 *
 * @example
 * ```ts
 * import { defineTool, isSuspension } from 'holdpoint';
 *
 * const signUp = defineTool({
 *   name: 'signUp',
 *   description: 'Signs a person up.',
 *   input: { type: 'object' },
 *   async run(_input, ctx) {
 *     try {
 *       return await ctx.ask('email', { message: 'Your e-mail?' });
 *     } catch (error) {
 *       if (isSuspension(error)) throw error;
 *       return 'No e-mail was given.';
 *     }
 *   },
 * });
 * ```
 */
export function isSuspension(error: unknown): boolean {
  return typeof error === 'object' && error !== null && brand in error;
}
