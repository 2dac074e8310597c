import type { RunAgentInput, RunFinishedEvent } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import { decodeAnyEvent, decodeRunInput } from '../shapes/decode-earlier.ts';
import type { Dialect, InputContext, WireEvent } from './dialect.ts';
import type { StreamMemory } from './stream-memory.ts';
import { fromThinking, isThinking } from './thinking.ts';

/** AG-UI 1.0, the dialect used inside. */
export const v1: Dialect = {
  name: '1.0',
  ownsEvent,
  ownsInput,
  decodeEvent,
  encodeEvent,
  decodeInput,
  encodeInput,
};

/** Always false: 1.0 is the default when no other dialect claims an event. */
function ownsEvent(): boolean {
  return false;
}

/** Reads AG-UI 1.0, and reasoning under its earlier names; returns an empty list for an event of a newer minor version. */
export function decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[] {
  const current = isThinking(value) ? fromThinking(value, memory) : value;
  const event = decodeAnyEvent(current, memory.decodeOptions);
  if (event === undefined) return [];
  switch (event.type) {
    case EventType.RUN_STARTED:
      memory.threadId = event.threadId;
      memory.runId = event.runId;
      return [event];
    case EventType.RUN_FINISHED:
      return settleHeld(event, memory);
    case EventType.RUN_ERROR: {
      const released = releaseHeld(memory.held);
      memory.held = [];
      return [...released, event];
    }
    default:
      return [event];
  }
}

/**
 * Decides about interrupts that arrived as events before the end of their run. If the end has no outcome, they become its
 * interrupts. If the end has an interrupt outcome, they are dropped, because the outcome lists the interrupts. At any other end,
 * they stay events.
 */
function settleHeld(finished: RunFinishedEvent, memory: StreamMemory): AgentStreamEvent[] {
  const { held } = memory;
  if (held.length === 0) return [finished];
  memory.held = [];
  if (finished.outcome === undefined) {
    const [first, ...rest] = held.map(({ interrupt }) => interrupt);
    if (first === undefined) return [finished];
    const interrupts = [first, ...rest.map((interrupt, index) => named(interrupt, index))];
    return [{ ...finished, outcome: { type: 'interrupt', interrupts } }];
  }
  if (finished.outcome.type === 'interrupt') return [finished];
  return [...releaseHeld(held), finished];
}

/** The held interrupts as the original events. */
function releaseHeld(held: StreamMemory['held']): AgentStreamEvent[] {
  return held.flatMap(({ event }) => event ?? []);
}

/** Gives ids to all but the first interrupt without an id. */
function named<T extends { id: string }>(interrupt: T, index: number): T {
  return interrupt.id === '' ? { ...interrupt, id: `interrupt-${index + 2}` } : interrupt;
}

function encodeEvent(event: AgentStreamEvent): WireEvent[] {
  return [event];
}

/** Always false: 1.0 is the default when no other dialect claims an input. */
function ownsInput(): boolean {
  return false;
}

export function decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput {
  return decodeRunInput(value, context);
}

function encodeInput(input: RunAgentInput): UnknownRecord {
  return { ...input };
}
