import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import type { DecodeOptions } from '../shapes/decode.ts';
import type { StreamMemory } from './stream-memory.ts';

/** The dialects in use on the wire. */
export type DialectName = '1.0' | 'draft' | 'snake' | 'command';

/** One JSON object of a frame. */
export type WireEvent = UnknownRecord;

/** Context for reading an input. */
export interface InputContext extends DecodeOptions {
  /** Ids of the thread's interrupts: they tell a map of answers from an answer that is an object. */
  readonly interruptIds?: readonly string[];
}

/**
 * One wire dialect. Holdpoint uses AG-UI 1.0 inside; a dialect translates at the edge, in both directions. Each
 * dialect is one file.
 */
export interface Dialect {
  /** Name of the dialect. */
  readonly name: DialectName;
  /** True when an event is visibly of this dialect; events that equal 1.0 do not count. */
  ownsEvent(value: UnknownRecord): boolean;
  /** True when an input is visibly of this dialect. */
  ownsInput(value: UnknownRecord): boolean;
  /** Throws `INPUT_INVALID`. */
  decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[];
  /** Writes an event; one event may become several. */
  encodeEvent(event: AgentStreamEvent, memory: StreamMemory): WireEvent[];
  /** Throws `INPUT_INVALID`. */
  decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput;
  /** Throws `INPUT_INVALID` when the dialect cannot express the input. */
  encodeInput(input: RunAgentInput): UnknownRecord;
}
