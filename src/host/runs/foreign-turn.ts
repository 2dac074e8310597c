import type { JsonValue } from '../../core/index.ts';
import { digestJson, isRecord } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { UNNAMED_INTERRUPT } from '../../protocol/index.ts';

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

/** Reads it back; empty for a thread that has none. */
export function readForeignTurn(turn: JsonValue | undefined): ForeignTurn {
  if (turn !== undefined && isForeignTurn(turn)) return turn as unknown as ForeignTurn;
  return { names: {} };
}

/** The turn once one of its questions has another id; undefined for a turn of an agent of ours. */
export function renameForeign(turn: JsonValue, from: string, to: string): JsonValue | undefined {
  if (!isForeignTurn(turn)) return undefined;
  const read = readForeignTurn(turn);
  return writeForeignTurn({ ...read, names: { ...read.names, [to]: read.names[from] ?? from } });
}

/**
 * Interrupts that an agent holds open, each with an id, and the turn that maps those ids back. An interrupt without one gets
 * an id made of its content: the agent may show the same one again with every look.
 */
export function namePending(pending: readonly Interrupt[]): {
  readonly interrupts: readonly Interrupt[];
  readonly turn: JsonValue | undefined;
} {
  const names: Record<string, string> = {};
  const interrupts = pending.map((interrupt): Interrupt => {
    if (interrupt.id !== UNNAMED_INTERRUPT) return interrupt;
    const id = digestJson(interrupt).slice(0, 32);
    names[id] = interrupt.id;
    return { ...interrupt, id };
  });
  return { interrupts, turn: Object.keys(names).length === 0 ? undefined : writeForeignTurn({ names }) };
}
