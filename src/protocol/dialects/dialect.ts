import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/basics/index.ts';
import type { AgentStreamEvent } from '../events/index.ts';
import type { DecodeOptions } from '../shapes/index.ts';
import type { StreamMemory } from './stream-memory.ts';

/** The forms people use on the wire. */
export type DialectName = '1.0' | 'draft' | 'snake' | 'command';

/** One JSON object as it goes into a frame. */
export type WireEvent = UnknownRecord;

/** What a reader of inputs knows beyond the input. */
export interface InputContext extends DecodeOptions {
  /** Ids of the thread's interrupts: they tell a map of answers from an answer that is an object. */
  readonly interruptIds?: readonly string[];
}

/**
 * One wire form. The inside speaks AG-UI 1.0; a dialect translates at the edge, both ways. Its four
 * functions live in four files of the same names in every dialect's folder.
 */
export interface Dialect {
  readonly name: DialectName;
  /** Whether an event is plainly of this form; the form that 1.0 shares with it does not count. */
  ownsEvent(value: UnknownRecord): boolean;
  /** Whether an input is plainly of this form. */
  ownsInput(value: UnknownRecord): boolean;
  /** Throws `INPUT_INVALID`. */
  decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[];
  encodeEvent(event: AgentStreamEvent, memory: StreamMemory): WireEvent[];
  /** Throws `INPUT_INVALID`. */
  decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput;
  /** Throws `INPUT_INVALID` where the form has no room for what the input says. */
  encodeInput(input: RunAgentInput): UnknownRecord;
}
