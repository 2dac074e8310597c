import type { JsonValue } from '../core/index.ts';
import { digestJson, isRecord } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { UNNAMED_INTERRUPT } from '../protocol/index.ts';

/** What a thread keeps of a foreign agent's pause: the names its questions had, and answers that may have been handed over. */
export interface ForeignTurn {
  /** Our id of a question → the agent's own, where they differ. */
  readonly names: Readonly<Record<string, string>>;
  /** Answers that are in doubt: whether they are to be handed over again is for a person to say. */
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

/** Reads it back; empty for a thread without one. A2A servers of version 0.1 wrote the names alone. */
export function readForeignTurn(turn: JsonValue | undefined): ForeignTurn {
  if (turn !== undefined && isForeignTurn(turn)) return turn as unknown as ForeignTurn;
  if (!isRecord(turn) || 'role' in turn) return { names: {} };
  const names = Object.entries(turn).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { names: Object.fromEntries(names) };
}

/** Ids that a URL cannot carry: `.` and `..` are resolved, a slash divides, and the rest is refused by the routes. */
const UNUSABLE = /^\.{0,2}$|[/\\\p{Cc}\p{Cs}]|^.{257,}$/su;

/** The interrupts of a foreign agent under ids of ours where its own do not serve, and which is which. */
export interface PublishedInterrupts {
  readonly interrupts: Interrupt[];
  readonly names: ForeignTurn['names'];
}

/**
 * Publishes interrupts: an id that a URL cannot carry becomes one that is made of it, always the same; an empty id and
 * one that was used before become new ones.
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
    return { ...interrupt, id };
  });
  return { interrupts, names };
}

/** The id under which a foreign agent's own is published first. */
export function usableId(id: string): string {
  // JSON has a form for half characters; a hash of UTF-8 alone does not tell them apart.
  return UNUSABLE.test(id) ? `foreign-${digestJson(JSON.stringify(id)).slice(0, 32)}` : id;
}

/** The turn of a foreign agent after one of its interrupts got another id; undefined for a turn of an agent of ours. */
export function renameForeign(turn: JsonValue, from: string, to: string): JsonValue | undefined {
  if (!isForeignTurn(turn)) return undefined;
  const read = readForeignTurn(turn);
  return writeForeignTurn({ ...read, names: { ...read.names, [to]: read.names[from] ?? from } });
}

/** An id made of what an interrupt says: an agent that gives none may show the same interrupt with every look. */
export function contentId(interrupt: Interrupt): string {
  return digestJson(interrupt).slice(0, 32);
}
