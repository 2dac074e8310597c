import type { ReasoningMessageChunkEvent, TextMessageChunkEvent, ToolCallChunkEvent } from '@ag-ui/core';
import type { UnknownRecord } from '../core/index.ts';
import { defined, invalidInput } from '../core/index.ts';
import { fromWire, wireEventOf } from './dialects/wire-event.ts';
import type { AgentStreamEvent } from './events.ts';

/** Expands chunk events to start, content and end; other events pass unchanged. */
export type ChunkExpander = (event: AgentStreamEvent) => AgentStreamEvent[];

type ChunkEvent = TextMessageChunkEvent | ToolCallChunkEvent | ReasoningMessageChunkEvent;

/** How one kind of chunk is expanded. */
interface ChunkKind {
  readonly start: string;
  readonly content: string;
  readonly end: string;
  readonly id: 'messageId' | 'toolCallId';
  /** Members of the start event; a later chunk may repeat but not change them. */
  readonly opening: readonly string[];
  readonly required: readonly string[];
  readonly fixed: Readonly<Record<string, string>>;
}

const CHUNK_KINDS: Readonly<Record<`${ChunkEvent['type']}`, ChunkKind>> = {
  TEXT_MESSAGE_CHUNK: {
    start: 'TEXT_MESSAGE_START',
    content: 'TEXT_MESSAGE_CONTENT',
    end: 'TEXT_MESSAGE_END',
    id: 'messageId',
    opening: ['role', 'name'],
    required: [],
    fixed: { role: 'assistant' },
  },
  TOOL_CALL_CHUNK: {
    start: 'TOOL_CALL_START',
    content: 'TOOL_CALL_ARGS',
    end: 'TOOL_CALL_END',
    id: 'toolCallId',
    opening: ['toolCallName', 'parentMessageId'],
    required: ['toolCallName'],
    fixed: {},
  },
  REASONING_MESSAGE_CHUNK: {
    start: 'REASONING_MESSAGE_START',
    content: 'REASONING_MESSAGE_CONTENT',
    end: 'REASONING_MESSAGE_END',
    id: 'messageId',
    opening: [],
    required: [],
    fixed: { role: 'reasoning' },
  },
};

/** The open span of one agent in the stream. */
interface Lane {
  readonly kind: ChunkKind;
  readonly id: string;
  readonly opening: UnknownRecord;
  readonly owner: string | undefined;
}

/** Events that do not close an open chunk. */
const ASIDE: ReadonlySet<string> = new Set([
  'RAW',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
  'REASONING_ENCRYPTED_VALUE',
  'SUBAGENT_STARTED',
]);

/** Events of the whole run: they close the open chunks of every agent. */
const RUN_WIDE: ReadonlySet<string> = new Set([
  'RUN_STARTED',
  'RUN_FINISHED',
  'RUN_ERROR',
  'MESSAGES_SNAPSHOT',
]);

/**
 * Creates an expander for one stream. Chunks of different subagents may be interleaved. Throws `INPUT_INVALID` for
 * a chunk that opens without its id, contradicts the chunk it continues, or could continue several.
 *
 * @example
 * ```ts
 * import { createChunkExpander } from 'holdpoint/protocol';
 *
 * const expand = createChunkExpander();
 * for (const event of events.flatMap(expand)) console.log(event.type);
 * ```
 */
export function createChunkExpander(): ChunkExpander {
  const lanes = new Map<string | undefined, Lane>();
  const close = (owner: string | undefined): AgentStreamEvent[] => {
    const lane = lanes.get(owner);
    if (lane === undefined) return [];
    lanes.delete(owner);
    return [made(lane, { type: lane.kind.end })];
  };
  return (event) => {
    if (isChunk(event)) return fromWire(wireEventOf(event), expand(event, lanes, close));
    if (lanes.size === 0 || ASIDE.has(event.type)) return [event];
    if (RUN_WIDE.has(event.type)) return [...[...lanes.keys()].flatMap(close), event];
    return [...close('subagentRunId' in event ? event.subagentRunId : undefined), event];
  };
}

function expand(
  chunk: ChunkEvent,
  lanes: Map<string | undefined, Lane>,
  close: (owner: string | undefined) => AgentStreamEvent[],
): AgentStreamEvent[] {
  const kind = CHUNK_KINDS[chunk.type];
  const fields: UnknownRecord = { ...chunk };
  const { delta, metadata, rawEvent, subagentRunId } = chunk;
  const id = fields[kind.id];
  const owner = ownerOf(chunk, kind, lanes);
  const events: AgentStreamEvent[] = [];
  let lane = lanes.get(owner);
  if (lane?.kind === kind && (id === undefined || id === lane.id)) {
    checkAgreement(fields, lane);
  } else {
    events.push(...close(owner));
    lane = openLane(chunk, kind);
    lanes.set(owner, lane);
    events.push(made(lane, { type: kind.start, ...lane.opening, ...defined({ metadata }) }));
  }
  const says = delta !== undefined || rawEvent !== undefined;
  if (says || (events.length === 0 && metadata !== undefined)) {
    const content = { type: kind.content, delta: delta ?? '', ...defined({ metadata, rawEvent }) };
    events.push(made(subagentRunId === undefined ? lane : { ...lane, owner: subagentRunId }, content));
  }
  return events;
}

/** The lane that a chunk continues: by its id, else by its subagent, else the only one of its kind. */
function ownerOf(
  chunk: ChunkEvent,
  kind: ChunkKind,
  lanes: ReadonlyMap<string | undefined, Lane>,
): string | undefined {
  const fields: UnknownRecord = { ...chunk };
  const id = fields[kind.id];
  const { subagentRunId } = chunk;
  const sameKind = [...lanes].filter(([, lane]) => lane.kind === kind);
  if (id !== undefined) {
    const holder = sameKind.find(([, lane]) => lane.id === id);
    if (holder === undefined) return subagentRunId;
    const [owner] = holder;
    if (subagentRunId !== undefined && subagentRunId !== owner) {
      throw invalid(chunk.type, 'subagentRunId', `what is open belongs to ${owner ?? 'the agent itself'}`);
    }
    return owner;
  }
  if (subagentRunId !== undefined || lanes.get(undefined)?.kind === kind) return subagentRunId;
  if (sameKind.length > 1) throw invalid(chunk.type, kind.id, 'several are open, and the chunk names none');
  return sameKind[0]?.[0];
}

function openLane(chunk: ChunkEvent, kind: ChunkKind): Lane {
  const fields: UnknownRecord = { ...chunk };
  const id = fields[kind.id];
  if (typeof id !== 'string') throw invalid(chunk.type, kind.id, 'the first chunk must have it');
  const opening: UnknownRecord = { ...kind.fixed };
  for (const key of kind.opening) if (fields[key] !== undefined) opening[key] = fields[key];
  for (const key of kind.required) {
    if (opening[key] === undefined) throw invalid(chunk.type, key, 'the first chunk must have it');
  }
  return { kind, id, opening, owner: chunk.subagentRunId };
}

function checkAgreement(fields: UnknownRecord, lane: Lane): void {
  for (const key of lane.kind.opening) {
    if (fields[key] !== undefined && fields[key] !== lane.opening[key]) {
      throw invalid(String(fields['type']), key, `${lane.id} was opened with another one`);
    }
  }
}

function made(lane: Lane, fields: UnknownRecord): AgentStreamEvent {
  const event = { ...fields, [lane.kind.id]: lane.id, ...defined({ subagentRunId: lane.owner }) };
  // The table names the members of each event as the protocol does.
  return event as unknown as AgentStreamEvent;
}

function invalid(type: string, key: string, message: string) {
  return invalidInput(`${type} event`, [{ pointer: `/${key}`, message }]);
}

/** True for a chunk event. */
function isChunk(event: { readonly type: string }): event is ChunkEvent {
  return Object.hasOwn(CHUNK_KINDS, event.type);
}
