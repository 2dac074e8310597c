import { isRecord, ownMember } from '../../../core/basics/index.ts';
import type { AgentStreamEvent } from '../../events/stream-event.ts';

type Fits = (value: unknown) => boolean;
/** The members that an object must have, by its type or its role. */
type Required = Readonly<Record<string, readonly string[]>>;

const RUN = ['threadId', 'runId'];
const INPUT = [...RUN, 'messages', 'tools', 'context'];
const MESSAGE = ['messageId'];
const CALL = ['toolCallId'];

const EVENTS: Required = {
  RUN_STARTED: RUN,
  RUN_FINISHED: RUN,
  RUN_ERROR: ['message'],
  TEXT_MESSAGE_START: MESSAGE,
  TEXT_MESSAGE_CONTENT: [...MESSAGE, 'delta'],
  TEXT_MESSAGE_END: MESSAGE,
  TOOL_CALL_START: [...CALL, 'toolCallName'],
  TOOL_CALL_ARGS: [...CALL, 'delta'],
  TOOL_CALL_END: CALL,
  TOOL_CALL_RESULT: [...MESSAGE, ...CALL, 'content'],
  STATE_SNAPSHOT: ['snapshot'],
  MESSAGES_SNAPSHOT: ['messages'],
  CUSTOM: ['name', 'value'],
};

const OUTCOMES: Required = { success: [], interrupt: ['interrupts'], cancelled: [] };

const CONTENT = ['id', 'content'];
const MESSAGES: Required = {
  system: CONTENT,
  user: CONTENT,
  assistant: ['id'],
  tool: [...CONTENT, ...CALL],
};
const CALLS: Required = { function: ['id', 'function'] };

const isAnything = () => true;
const isSomething = (value: unknown) => value !== null;

/** The members that are no text. */
const MEMBERS = new Map<string, Fits>([
  ['timestamp', Number.isSafeInteger],
  ['metadata', isRecord],
  ['responseSchema', isRecord],
  ['rawEvent', isSomething],
  ['result', isSomething],
  ['snapshot', isAnything],
  ['value', isAnything],
  ['input', (input) => fits(input, INPUT)],
  ['state', isSomething],
  ['forwardedProps', isSomething],
  // What is said with an input is plain; the rest of it needs shapes that nothing else does.
  ['tools', (list) => isListOf(list, () => false)],
  ['context', (list) => isListOf(list, () => false)],
  ['outcome', (outcome) => fitsOne(outcome, OUTCOMES)],
  ['interrupts', (list) => isListOf(list, (each) => fits(each, ['id', 'reason'])) && list.length > 0],
  ['pendingToolCallIds', (list) => isListOf(list, isText)],
  ['messages', (list) => isListOf(list, (each) => fitsOne(each, MESSAGES, 'role'))],
  ['toolCalls', (list) => isListOf(list, (each) => fitsOne(each, CALLS))],
  ['function', (call) => fits(call, ['name', 'arguments'])],
  ['usage', (list) => isListOf(list, (each) => fits(each, []))],
]);

/**
 * The value itself, if it is an event of a plain run beyond doubt: nothing is malformed, null, or unknown and no
 * text. Undefined says that the whole table has to tell.
 */
export function decodePlainEvent(value: unknown): AgentStreamEvent | undefined {
  if (!fitsOne(value, EVENTS)) return undefined;
  const { type, role } = value;
  if (role !== undefined && role !== (type === 'TOOL_CALL_RESULT' ? 'tool' : 'assistant')) return undefined;
  // These rules take nothing that the shape table does not; a test holds the two together.
  return value as unknown as AgentStreamEvent;
}

function fitsOne(value: unknown, table: Required, by = 'type'): value is Record<string, unknown> {
  const required = isRecord(value) ? ownMember(table, String(value[by])) : undefined;
  return required !== undefined && fits(value, required as readonly string[]);
}

function fits(value: unknown, required: readonly string[]): boolean {
  if (!isRecord(value) || required.some((key) => value[key] === undefined)) return false;
  return Object.entries(value).every(([key, member]) =>
    key.endsWith('Tokens') ? isCount(member) : (MEMBERS.get(key) ?? isText)(member),
  );
}

function isListOf(value: unknown, fitsItem: Fits): value is readonly unknown[] {
  return Array.isArray(value) && value.every((item) => fitsItem(item));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
