import { withoutRemember } from '../content/interrupts/index.ts';
import type { JsonValue } from '../core/index.ts';
import { digestJson, isRecord } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { UNNAMED_INTERRUPT } from '../protocol/index.ts';

/** The stored turn of a foreign agent: the ids of its interrupts, and answers in doubt. */
export interface ForeignTurn {
  /** Our id of an interrupt → the agent's id, if they differ. */
  readonly names: Readonly<Record<string, string>>;
  /** The agent asked in the draft of AG-UI, and gets its answer in the draft. */
  readonly dialect?: 'draft';
  /** Answers of the host to other interrupts of the batch, under the agent's ids: they are sent with those of people. */
  readonly decided?: readonly ResumeEntry[];
  /** Answers that the agent may have got: a person decides whether to send them again. */
  readonly inDoubt?: readonly ResumeEntry[];
}

const KIND = 'foreign';

export function writeForeignTurn(turn: ForeignTurn): JsonValue {
  const kept: unknown = { kind: KIND, ...turn };
  return kept as JsonValue;
}

export function isForeignTurn(turn: JsonValue): boolean {
  return isRecord(turn) && turn['kind'] === KIND;
}

/** Reads the stored turn; empty for a thread without one. A2A servers of version 0.1 stored only the names. */
export function readForeignTurn(turn: JsonValue | undefined): ForeignTurn {
  if (turn !== undefined && isForeignTurn(turn)) return turn as unknown as ForeignTurn;
  if (!isRecord(turn) || 'role' in turn) return { names: {} };
  const names = Object.entries(turn).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { names: Object.fromEntries(names) };
}

/** Ids that a URL path cannot carry: `.` and `..`, slashes, and characters that the routes reject. */
const UNUSABLE = /^\.{0,2}$|[/\\\p{Cc}\p{Cs}]|^.{257,}$/su;

/** The interrupts of a foreign agent under usable ids, and the mapping of ids. */
export interface PublishedInterrupts {
  readonly interrupts: Interrupt[];
  readonly names: ForeignTurn['names'];
}

/**
 * Publishes interrupts. An id that a URL cannot carry is replaced by an id derived from it; an empty or used id by a
 * new one. The interrupts do not offer to remember the answer.
 */
export function publishInterrupts(
  asked: readonly Interrupt[],
  {
    isUsed,
    newId,
  }: { readonly isUsed: (id: string) => boolean; readonly newId: (interrupt: Interrupt) => string },
): PublishedInterrupts {
  const names: Record<string, string> = {};
  const interrupts = asked.map((interrupt): Interrupt => {
    const usable = usableId(interrupt.id);
    const id = interrupt.id === UNNAMED_INTERRUPT || isUsed(usable) ? newId(interrupt) : usable;
    if (id !== interrupt.id) names[id] = interrupt.id;
    return { ...withoutRemember(interrupt), id };
  });
  return { interrupts, names };
}

/** The id under which the id of a foreign agent is published first. */
export function usableId(id: string): string {
  // JSON can represent lone surrogates, which a hash of UTF-8 does not distinguish.
  return UNUSABLE.test(id) ? `foreign-${digestJson(JSON.stringify(id)).slice(0, 32)}` : id;
}

/** The turn of a foreign agent after one of its interrupts got another id; undefined for a turn of an agent of ours. */
export function renameForeign(turn: JsonValue, from: string, to: string): JsonValue | undefined {
  if (!isForeignTurn(turn)) return undefined;
  const read = readForeignTurn(turn);
  return writeForeignTurn({ ...read, names: { ...read.names, [to]: read.names[from] ?? from } });
}

/**
 * An id derived from the content of an interrupt, because an agent without ids may show the same interrupt
 * repeatedly.
 */
export function contentId(interrupt: Interrupt): string {
  return digestJson(interrupt).slice(0, 32);
}
