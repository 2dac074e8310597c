import type { Interrupt, Message } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import { jsonOrText, systemClock } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import type { FunctionDetails } from '../interrupts/approval.ts';
import type { DecodeOptions } from '../shapes/decode.ts';

/** An interrupt that arrived as an event, before the end of its run. */
interface HeldInterrupt {
  readonly interrupt: Interrupt;
  /** The original event, returned when the run did not end with an interrupt. */
  readonly event: AgentStreamEvent | undefined;
}

/** The memory of a translator for one stream. Reading and writing each have their own. */
export interface StreamMemory {
  readonly decodeOptions: DecodeOptions;
  threadId: string;
  runId: string;
  /** The time of events without a timestamp, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Approvals whose decision a RUN_STARTED of this stream has. */
  readonly decided: Set<string>;
  /** Interrupts read before the end of their run. */
  held: HeldInterrupt[];
  /** The tool calls of this stream, and its last messages snapshot. */
  readonly calls: Map<string, { name: string; args: string }>;
  messages: readonly Message[];
  /** The ids of the reasoning that `THINKING_*` events are about. */
  readonly thinkingIds: Map<'span' | 'message', string>;
  /** Id of the open message of a legacy text stream. */
  legacyMessageId: string | undefined;
  legacyState: 'idle' | 'open' | 'done';
}

/** Options of {@link createStreamMemory}. */
export interface MemoryOptions extends DecodeOptions {
  /** Replacements for ids that older dialects leave out. */
  readonly threadId?: string | undefined;
  readonly runId?: string | undefined;
  /** The time of events without a timestamp. Default: the clock of this machine. */
  readonly now?: (() => number) | undefined;
}

/** Creates the memory of a new stream. */
export function createStreamMemory(options: MemoryOptions = {}): StreamMemory {
  return {
    decodeOptions: options,
    threadId: options.threadId ?? '',
    runId: options.runId ?? '',
    now: options.now ?? (() => systemClock.now()),
    decided: new Set(),
    held: [],
    calls: new Map(),
    messages: [],
    thinkingIds: new Map(),
    legacyMessageId: undefined,
    legacyState: 'idle',
  };
}

/** Records the calls that a later interrupt may name. */
export function rememberCalls(event: AgentStreamEvent, memory: StreamMemory): void {
  if (event.type === EventType.TOOL_CALL_START) {
    memory.calls.set(event.toolCallId, { name: event.toolCallName, args: '' });
  } else if (event.type === EventType.TOOL_CALL_ARGS) {
    const call = memory.calls.get(event.toolCallId);
    if (call !== undefined) call.args += event.delta;
  } else if (event.type === EventType.MESSAGES_SNAPSHOT) {
    memory.messages = event.messages;
  }
}

/** The name and arguments of a tool call of this stream. */
export function findCall(toolCallId: string, memory: StreamMemory): FunctionDetails | undefined {
  const streamed = memory.calls.get(toolCallId);
  if (streamed !== undefined) return details(streamed.name, streamed.args);
  for (const message of memory.messages) {
    if (message.role !== 'assistant') continue;
    const call = message.toolCalls?.find(({ id }) => id === toolCallId);
    if (call !== undefined) return details(call.function.name, call.function.arguments);
  }
  return undefined;
}

/** Arguments that are not JSON stay text. */
function details(functionName: string, args: string): FunctionDetails {
  return args === '' ? { functionName } : { functionName, functionArguments: jsonOrText(args) };
}
