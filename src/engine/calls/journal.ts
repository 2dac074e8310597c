import { HoldpointError, jsonCopy, nextTurn } from '../../core/index.ts';

/** What a paused body has already done, as JSON. */
export interface JournalEntry {
  /** `step` or `ask`, its name, and which of that name it is. */
  readonly key: string;
  readonly kind: 'step' | 'ask' | 'delegate';
  /** What a step gave, an ask was answered, or a delegate gave or still needs to go on. */
  readonly value?: unknown;
  /** An ask that nobody will answer. */
  readonly cancelled?: true;
  /** A delegate that waits. */
  readonly unfinished?: true;
}

/** What work handed to another came to. */
export type DelegateOutcome<Question> =
  | { readonly status: 'done'; readonly value: unknown }
  | {
      readonly status: 'waiting';
      /** Given back when it goes on. */
      readonly pending: unknown;
      readonly questions: readonly { readonly id: string; readonly question: Question }[];
    };

/** A question that a body waits at. */
export interface OpenAsk<Question> {
  readonly key: string;
  readonly name: string;
  readonly question: Question;
}

export interface StepOptions {
  /** May be done again when nobody knows whether it was done: after a crash it is, and nobody is asked. */
  readonly idempotent?: boolean;
}

/** Replays what was done and records what is new; one for each run of a body. */
export interface Journal<Question> {
  /** Gives back a finished step's result, or runs it and keeps its result. A step that throws is not kept. */
  step<Value>(name: string, run: () => Value | Promise<Value>, options?: StepOptions): Promise<Value>;
  /** Gives the answer, throws `ANSWER_CANCELLED`, or suspends. */
  ask(name: string, question: Question): Promise<unknown>;
  /**
   * Hands work to another that may itself wait: its questions become this body's, and it goes on with what it left
   * and the answers by id.
   */
  delegate(
    name: string,
    attempt: (
      pending: unknown,
      answers: ReadonlyMap<string, JournalEntry>,
      key: string,
    ) => Promise<DelegateOutcome<Question>>,
  ): Promise<unknown>;
  /** Whether the body has asked, stepped or handed anything on. */
  readonly used: boolean;
  /** Waits until no step is running, so that nothing that was begun is forgotten. */
  settle(): Promise<void>;
  readonly openAsks: readonly OpenAsk<Question>[];
  /** Keys of the steps that are at work and must not be done twice. */
  readonly openSteps: readonly string[];
  readonly entries: readonly JournalEntry[];
  /** Keys that were recorded before and not asked for again: the body has changed. */
  readonly unused: readonly string[];
}

/** Told of each step. */
export interface JournalHooks {
  /** Before it begins; it does when this resolves. */
  starting(key: string, options: Required<StepOptions>): Promise<void>;
  finished(entry: JournalEntry): Promise<void>;
}

export function createJournal<Question>(
  recorded: readonly JournalEntry[],
  hooks?: JournalHooks,
): Journal<Question> {
  const known = new Map(recorded.map((entry) => [entry.key, entry]));
  const unused = new Set(known.keys());
  const counts = new Map<string, number>();
  const running = new Set<Promise<unknown>>();
  const atWork = new Set<string>();
  const openAsks: OpenAsk<Question>[] = [];

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

  return {
    async step<Value>(
      name: string,
      run: () => Value | Promise<Value>,
      { idempotent = false }: StepOptions = {},
    ): Promise<Value> {
      const key = nextKey('step', name);
      const entry = recall(key);
      // What a step gave was JSON when it was kept, so it comes back as what it was.
      if (entry !== undefined) return entry.value as Value;
      const work = (async () => {
        if (hooks !== undefined) await hooks.starting(key, { idempotent });
        if (!idempotent) atWork.add(key);
        const value = await run();
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
    ask(name, question) {
      const key = nextKey('ask', name);
      const entry = recall(key);
      if (entry?.cancelled === true) {
        return rejected(new HoldpointError('ANSWER_CANCELLED', `Nobody will answer ${name}.`));
      }
      if (entry !== undefined) return Promise.resolve(entry.value);
      openAsks.push({ key, name, question });
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
      for (const { id, question } of outcome.questions)
        openAsks.push({ key: `${key}/${id}`, name, question });
      throw SUSPENSION;
    },
    async settle() {
      do {
        await Promise.allSettled(running);
        // A turn of the event loop lets what waited for a step go on to its next one.
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

/** Rejected for whoever awaits it; not unhandled for whoever does not. */
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
    throw new HoldpointError('TOOL_FAILED', `What the step ${name} gave is not JSON.`, { cause });
  }
}

const brand = Symbol.for('holdpoint.suspension');

class Suspension extends Error {
  override readonly name = 'HoldpointSuspension';
  readonly [brand] = true;
}

/**
 * Unwinds the body of a tool that waits for a person. Let it pass: a body that catches it suspends all the same,
 * and the catch is reported. There is one: it says nothing that differs, and a stack trace each time would cost more than
 * the rest of a pause.
 */
export const SUSPENSION: Error = new Suspension(
  'The tool waits for an answer. This is not a failure: let it pass, or rethrow it.',
);

/** Whether an error is the signal that a tool waits; for a catch that has to let it pass. */
export function isSuspension(error: unknown): boolean {
  return typeof error === 'object' && error !== null && brand in error;
}
