import { HoldpointError, isRecord, jsonCopy } from '../core/index.ts';
import type { AgentContext } from '../engine/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import type { RunWork } from './emit-run.ts';
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

/** What a framework goes on from. */
export interface Turn<Part> {
  /** What the last turn returned; undefined on a new thread. */
  readonly data: unknown;
  /** The answers to the interrupts that the last turn returned, with them. */
  readonly answers: readonly { readonly interrupt: Interrupt; readonly entry: ResumeEntry }[];
  /** The contents of the new messages of the user. */
  readonly contents: readonly UserContent<Part>[];
}

export interface TurnEnd {
  readonly data: unknown;
  readonly interrupts: readonly Interrupt[];
  /** Why the turn failed, after the framework had the answers: the run ends with it, and nothing is in doubt. */
  readonly failure?: unknown;
  /** Answered interrupts whose work failed, besides those of failed calls. */
  readonly failed?: readonly Interrupt[];
}

/**
 * Runs one turn of a framework whose state is a value: reads it from `context.memory`, and writes it before the run ends. A run
 * without answers and new messages shows the interrupts that are open.
 */
export async function* rememberRun<Part>(
  run: RunWork,
  form: ContentForm<Part>,
  go: (turn: Turn<Part>) => AsyncGenerator<void, TurnEnd, undefined>,
): AsyncGenerator<void, void, undefined> {
  const { input, context, emitter, transcript } = run;
  const memory = memoryOf(context);
  const kept = await memory.read();
  const open = new Map(kept.interrupts.map((interrupt) => [interrupt.id, interrupt]));
  const answers = (input.resume ?? []).flatMap((entry) => {
    const interrupt = open.get(entry.interruptId);
    return interrupt === undefined ? [] : [{ interrupt, entry }];
  });
  const messages = freshMessages(input.messages, (id) => id === kept.lastMessage);
  if (answers.length === 0 && messages.length === 0) {
    if (kept.interrupts.length > 0) emitter.interrupt(kept.interrupts);
    return;
  }
  const lastMessage = messages.at(-1)?.id ?? kept.lastMessage;
  const skip = () => memory.write({ ...kept, lastMessage });
  const contents = await takeContents(run, messages, { form, skip });
  if (contents === undefined) return;
  const end = yield* go({ data: kept.data, answers, contents });
  const { data, interrupts, failure, failed = [] } = end;
  transcript.close();
  await memory.write({ lastMessage, interrupts, data });
  const hasFailed = (interrupt: Interrupt) =>
    failed.includes(interrupt) || transcript.failed.has(interrupt.toolCallId ?? '');
  const ids = answers.flatMap(({ interrupt }) => (hasFailed(interrupt) ? [interrupt.id] : []));
  if (ids.length > 0 || failure !== undefined) context.onDelivery?.({ status: 'taken', failed: ids });
  if (failure !== undefined) throw failure;
  if (interrupts.length > 0 && !emitter.ended) emitter.interrupt(interrupts);
}

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
