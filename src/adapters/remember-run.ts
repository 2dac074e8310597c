import { DECIDED_TEXTS } from '../content/interrupts/index.ts';
import type { JsonValue } from '../core/index.ts';
import { HoldpointError, isRecord, jsonCopy } from '../core/index.ts';
import type { AgentContext } from '../engine/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { InterruptReason } from '../protocol/index.ts';
import type { AdapterAgent, AdapterOptions, RunWork, Transcript } from './emit-run.ts';
import { adapterAgent } from './emit-run.ts';
import type { ContentForm, UserContent } from './user-content.ts';
import { freshMessages, takeContents } from './user-content.ts';

/** What a thread keeps for a framework that keeps nothing itself. */
interface Kept {
  /** The last message of the user that the framework was given. */
  readonly lastMessage: string | null;
  /** The interrupts that it waits for. */
  readonly interrupts: readonly Interrupt[];
  readonly data: unknown;
}

/** The answer to an interrupt that the last turn returned. */
export interface GivenAnswer {
  readonly interrupt: Interrupt;
  readonly entry: ResumeEntry;
  /**
   * The result of a call that must not be made: a person said what became of it, or it failed, or its run ended before. Absent
   * for an answer that the framework gets.
   */
  readonly output?: JsonValue;
}

/** What a framework goes on from. */
export interface Turn<Part> {
  /** What the last turn returned; undefined on a new thread. */
  readonly data: unknown;
  /** The answers to the interrupts that the last turn returned. */
  readonly answers: readonly GivenAnswer[];
  /** The contents of the new messages of the user. */
  readonly contents: readonly UserContent<Part>[];
  /** The turn is over: its answers become a part of the data, and the framework is not called. */
  readonly isOver: boolean;
}

export interface TurnEnd {
  readonly data: unknown;
  readonly interrupts: readonly Interrupt[];
  /** Why the turn failed, after the framework had the answers: the run ends with it, and nothing is in doubt. */
  readonly failure?: unknown;
  /** Answered interrupts whose work failed, besides those of failed calls. */
  readonly failed?: readonly Interrupt[];
  /** The framework did not get the new messages, because it waits: they come again. */
  readonly isUnsent?: boolean;
}

type Go<Part> = (turn: Turn<Part>, run: RunWork) => AsyncGenerator<void, TurnEnd, undefined>;

interface Remembering<Part> {
  readonly form: ContentForm<Part>;
  readonly go: Go<Part>;
  /** Whether `go` reads `output` and `isOver`. */
  readonly keepsResults: boolean;
}

/**
 * Runs one turn of a framework whose state is a value: reads it from `context.memory`, and writes it before the run ends. A run
 * without answers and new messages shows the interrupts that are open.
 */
export function rememberRun<Part>(
  run: RunWork,
  form: ContentForm<Part>,
  go: Go<Part>,
): AsyncGenerator<void, void, undefined> {
  return runTurn(run, { form, go, keepsResults: false });
}

/**
 * An agent whose framework keeps nothing itself, with `rememberRun`. Its value also gets the results of calls that the
 * framework must not make: those that a person decided about, that failed, or that a stopped run may have made.
 */
export function rememberingAgent<Part>(
  about: AdapterOptions & { readonly defaultId: string; readonly form: ContentForm<Part> },
  go: Go<Part>,
): AdapterAgent {
  const { defaultId, form } = about;
  const agent = adapterAgent(defaultId, about, (run) => runTurn(run, { form, go, keepsResults: true }));
  return { ...agent, takesDecision: true };
}

async function* runTurn<Part>(
  run: RunWork,
  { form, go, keepsResults }: Remembering<Part>,
): AsyncGenerator<void, void, undefined> {
  const { input, context, emitter, transcript } = run;
  const memory = memoryOf(context);
  const kept = await memory.read();
  const { data, interrupts: open } = kept;
  const given = new Map((input.resume ?? []).map((entry) => [entry.interruptId, entry]));
  const messages = freshMessages(input.messages, (id) => id === kept.lastMessage);
  if (!open.some(({ id }) => given.has(id)) && messages.length === 0) {
    if (open.length > 0) emitter.interrupt(open);
    return;
  }
  const answers = open.flatMap((interrupt): GivenAnswer[] => {
    const entry = given.get(interrupt.id);
    if (keepsResults) return [answerTo(interrupt, entry, context)];
    return entry === undefined ? [] : [{ interrupt, entry }];
  });
  const lastMessage = messages.at(-1)?.id ?? kept.lastMessage;
  const skip = () => memory.write({ ...kept, lastMessage });
  const contents = await takeContents(run, messages, { form, skip });
  if (contents === undefined) return;
  const isOver = context.decision?.action === 'abort' && contents.length === 0;
  const failedOf = (failed: readonly Interrupt[] = []) =>
    answers.flatMap(({ interrupt }) =>
      failed.includes(interrupt) || transcript.failed.has(interrupt.toolCallId ?? '') ? [interrupt.id] : [],
    );
  let failure: unknown;
  try {
    const end = yield* go({ data, answers, contents, isOver }, run);
    transcript.close();
    const last = end.isUnsent === true ? kept.lastMessage : lastMessage;
    await memory.write({ lastMessage: last, interrupts: end.interrupts, data: end.data });
    failure = end.failure;
    const failed = failedOf(end.failed);
    if (failed.length > 0 || failure !== undefined) context.onDelivery?.({ status: 'taken', failed });
    if (end.interrupts.length > 0 && failure === undefined) emitter.interrupt(end.interrupts);
  } catch (error) {
    // Without its thread, or stopped, the run knows nothing of its calls.
    if (!keepsResults || answers.length === 0 || context.signal?.aborted === true) throw error;
    transcript.close();
    const results = answers.map((given) => resultAfterFailure(given, transcript));
    const end = yield* go({ data, answers: results, contents: [], isOver: true }, run);
    await memory.write({ lastMessage: kept.lastMessage, interrupts: [], data: end.data });
    context.onDelivery?.({ status: 'taken', failed: failedOf() });
    yield;
    throw error;
  }
  if (failure !== undefined) throw failure;
}

/** The answer to an open interrupt. An interrupt without one was closed by its host, such as by the end of a stopped run. */
function answerTo(
  interrupt: Interrupt,
  entry: ResumeEntry | undefined,
  { decision }: AgentContext,
): GivenAnswer {
  if (entry === undefined) {
    return { interrupt, entry: { interruptId: interrupt.id, status: 'cancelled' }, output: STOPPED };
  }
  if (decision === undefined || !makesCall({ interrupt, entry })) return { interrupt, entry };
  return { interrupt, entry, output: decision.result ?? DECIDED_TEXTS[decision.action] };
}

/** The result of a call after its framework has failed: the one that the run has shown, or that it failed. */
function resultAfterFailure(given: GivenAnswer, transcript: Transcript): GivenAnswer {
  if (given.output !== undefined || !makesCall(given)) return given;
  const { toolCallId = '' } = given.interrupt;
  transcript.result(toolCallId, FAILED, true);
  const result = transcript.resultOf(toolCallId);
  return { ...given, output: jsonCopy(result ?? FAILED) as JsonValue };
}

/** Whether the framework makes a call when it gets this answer. */
function makesCall({ interrupt, entry }: GivenAnswer): boolean {
  const { payload } = entry;
  if (interrupt.reason !== InterruptReason.ToolCall || entry.status === 'cancelled') return false;
  return !isRecord(payload) || payload['approved'] !== false;
}

const STOPPED = 'The run was stopped before this call had a result. It may have been made.';
const FAILED = 'The call failed.';

function memoryOf({ memory }: AgentContext): { read(): Promise<Kept>; write(kept: Kept): Promise<void> } {
  if (memory === undefined) {
    throw new HoldpointError('INPUT_INVALID', 'The agent needs `context.memory`: run it behind a host.');
  }
  return {
    async read() {
      const value = await memory.read();
      if (!isRecord(value)) return { lastMessage: null, interrupts: [], data: undefined };
      return value as unknown as Kept;
    },
    write: (kept) => memory.write(jsonCopy(kept)),
  };
}
