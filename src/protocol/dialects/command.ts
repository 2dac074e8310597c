import type { CustomEvent, Interrupt, ResumeEntry, RunAgentInput } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';
import { defined, invalidInput, isRecord, jsonOrText, listOf, ownMember } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import { functionDetails } from '../interrupts/approval.ts';
import { InterruptReason, UNNAMED_INTERRUPT } from '../interrupts/interrupt.ts';
import type { Dialect, InputContext, WireEvent } from './dialect.ts';
import { draftPayload } from './draft.ts';
import type { StreamMemory } from './stream-memory.ts';
import { rememberCalls } from './stream-memory.ts';
import { decodeEvent as decodeV1Event, decodeInput as decodeV1Input } from './v1.ts';

/** Interrupts as CUSTOM `on_interrupt` events, answers in `forwardedProps.command.resume`. */
export const command: Dialect = {
  name: 'command',
  ownsEvent,
  ownsInput,
  decodeEvent,
  encodeEvent,
  decodeInput,
  encodeInput,
};

/** The CUSTOM event that announces an interrupt. */
const ON_INTERRUPT = 'on_interrupt';

const PREFIX = `${ON_INTERRUPT}:`;

/**
 * The id of the assistant message that announces an interrupt. A client that drops metadata and answers without an
 * id still sends its transcript, and this message names the interrupt that the client saw.
 */
function announcementId({ id }: Interrupt): string {
  return `${PREFIX}${id}`;
}

/** The interrupt that a message announces; undefined for other messages. */
function announcedId(messageId: unknown): string | undefined {
  return typeof messageId === 'string' && messageId.startsWith(PREFIX)
    ? messageId.slice(PREFIX.length)
    : undefined;
}

/** The id in an `on_interrupt` event, in its value, or in the JSON text of either. */
function interruptIdIn(value: unknown): string | undefined {
  const event = parsedJson(value);
  for (const one of [event, memberOf(event, 'metadata'), parsedJson(memberOf(event, 'value'))]) {
    const id = memberOf(one, 'interruptId');
    if (typeof id === 'string' && id !== '') return id;
  }
  return undefined;
}

/** Parses JSON text: some senders write the text of a value in place of the value. */
function parsedJson(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? jsonOrText(value) : value;
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? ownMember(value, name) : undefined;
}

/** True for the CUSTOM event `on_interrupt` and for the events of its message. */
export function ownsEvent(value: UnknownRecord): boolean {
  if (value['type'] === EventType.CUSTOM) return value['name'] === ON_INTERRUPT;
  return TEXT_MESSAGE.has(value['type']) && announcedId(value['messageId']) !== undefined;
}

const TEXT_MESSAGE: ReadonlySet<unknown> = new Set([
  EventType.TEXT_MESSAGE_START,
  EventType.TEXT_MESSAGE_CONTENT,
  EventType.TEXT_MESSAGE_END,
]);

/**
 * Holds an interrupt that arrives as a CUSTOM event until the end of the run. The message that announces the
 * interrupt is dropped.
 */
export function decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[] {
  if (TEXT_MESSAGE.has(value['type']) && announcedId(value['messageId']) !== undefined) return [];
  const events = decodeV1Event(value, memory);
  const [event] = events;
  if (event?.type !== EventType.CUSTOM || event.name !== ON_INTERRUPT) return events;
  memory.held.push({ interrupt: toInterrupt(event), event });
  return [];
}

function toInterrupt(event: CustomEvent): Interrupt {
  const id = interruptIdIn(event) ?? UNNAMED_INTERRUPT;
  const payload = withoutId(parsedJson(event.value), id);
  const isApproval = functionDetails(payload) !== undefined;
  return {
    id,
    reason: isApproval ? InterruptReason.ToolCall : InterruptReason.InputRequired,
    metadata: { payload },
  };
}

/** Removes the id that the writer added; it is not part of the payload. */
function withoutId(value: unknown, id: string): unknown {
  if (!isRecord(value) || value['interruptId'] !== id) return value;
  const { interruptId: _put, ...payload } = value;
  return payload;
}

/**
 * Writes one interrupt at a time: the first of several; the rest follow after its answer. The interrupt is
 * announced by an assistant message and a CUSTOM event, and is also in the outcome.
 */
function encodeEvent(event: AgentStreamEvent, memory: StreamMemory): WireEvent[] {
  rememberCalls(event, memory);
  if (event.type !== EventType.RUN_FINISHED || event.outcome?.type !== 'interrupt') return [event];
  const [first] = event.outcome.interrupts;
  if (first === undefined) return [event];
  const payload = draftPayload(first, memory) ?? {};
  const isNamed = first.id !== UNNAMED_INTERRUPT;
  const announcement = {
    type: EventType.CUSTOM,
    name: ON_INTERRUPT,
    value: isNamed && isRecord(payload) ? { ...payload, interruptId: first.id } : payload,
    ...defined({ metadata: isNamed ? { interruptId: first.id } : undefined }),
  };
  const asksOne = { ...event, outcome: { ...event.outcome, interrupts: [first] } };
  return [...(isNamed ? messageFor(first) : []), announcement, asksOne];
}

function messageFor(interrupt: Interrupt): WireEvent[] {
  const messageId = announcementId(interrupt);
  const title = interrupt.metadata === undefined ? undefined : ownMember(interrupt.metadata, 'title');
  const words = [interrupt.message, title].find((text) => typeof text === 'string' && text !== '');
  return [
    { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' },
    { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: words ?? 'An answer is needed.' },
    { type: EventType.TEXT_MESSAGE_END, messageId },
  ];
}

/** True for an input that answers by a command instead of `resume`. */
function ownsInput(value: UnknownRecord): boolean {
  return value['resume'] === undefined && commandAnswer(value) !== undefined;
}

/**
 * Reads the answer in `forwardedProps.command.resume`: a map by id, or one answer. One answer is for the interrupt
 * in `interruptEvent`, else for the last one that the transcript announces, else for no interrupt. Drops the
 * announcing messages, which only this dialect has.
 */
function decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput {
  const announced = listOf(value['messages']).flatMap((message) => announcedBy(message) ?? []);
  const input = announced.length === 0 ? value : { ...value, messages: withoutAnnouncements(value) };
  const answer = commandAnswer(value);
  if (answer === undefined || value['resume'] !== undefined) return decodeV1Input(input, context);
  const interruptId = interruptIdIn(answer.event) ?? announced.at(-1) ?? UNNAMED_INTERRUPT;
  const resume = byId(parsedJson(answer.value), context) ?? [
    { interruptId, status: 'resolved', payload: answer.value } satisfies ResumeEntry,
  ];
  return decodeV1Input({ ...input, forwardedProps: withoutAnswer(value), resume }, context);
}

function announcedBy(message: unknown): string | undefined {
  return isRecord(message) && message['role'] === 'assistant' ? announcedId(message['id']) : undefined;
}

function withoutAnnouncements({ messages }: UnknownRecord): readonly unknown[] {
  return listOf(messages).filter((message) => announcedBy(message) === undefined);
}

/** Whether an input has an answer in `forwardedProps.command.resume`. */
export function hasCommandAnswer({ forwardedProps }: RunAgentInput): boolean {
  return commandAnswer({ forwardedProps }) !== undefined;
}

/** The values of `forwardedProps.command.resume` and `interruptEvent`; undefined without a `resume`. */
function commandAnswer(
  value: UnknownRecord,
): { readonly value: unknown; readonly event: unknown } | undefined {
  const command = isRecord(value['forwardedProps'])
    ? ownMember(value['forwardedProps'], 'command')
    : undefined;
  if (!isRecord(command) || !Object.hasOwn(command, 'resume')) return undefined;
  return { value: command['resume'], event: ownMember(command, 'interruptEvent') };
}

/** The answers of a map by id; undefined for another form of answer. */
function byId(answer: unknown, { interruptIds = [] }: InputContext): ResumeEntry[] | undefined {
  if (!isRecord(answer)) return undefined;
  const ids = Object.keys(answer);
  if (ids.length === 0 || !ids.every((id) => interruptIds.includes(id))) return undefined;
  return ids.map((interruptId) => ({ interruptId, status: 'resolved', payload: answer[interruptId] }));
}

/** Removes the answer from the forwarded properties, so that it is not read twice. */
function withoutAnswer(value: UnknownRecord): UnknownRecord | undefined {
  if (!isRecord(value['forwardedProps'])) return undefined;
  const { command, ...rest } = value['forwardedProps'];
  const { resume: _taken, interruptEvent: _proof, ...otherCommands } = isRecord(command) ? command : {};
  const props = Object.keys(otherCommands).length > 0 ? { ...rest, command: otherCommands } : rest;
  return Object.keys(props).length > 0 ? props : undefined;
}

/**
 * Writes one answer as its value, with the interrupt id in `interruptEvent`; several answers as a map by id. Throws
 * `INPUT_INVALID` for a cancelled answer, which a command cannot express.
 */
function encodeInput(input: RunAgentInput): UnknownRecord {
  const { resume, ...rest } = input;
  const [only, ...others] = resume ?? [];
  if (only === undefined) return rest;
  const cancelled = (resume ?? []).findIndex(({ status }) => status === 'cancelled');
  if (cancelled >= 0) {
    throw invalidInput('run input', [
      { pointer: `/resume/${cancelled}/status`, message: 'the command form can only carry resolved answers' },
    ]);
  }
  const { interruptId } = only;
  const interruptEvent = interruptId === UNNAMED_INTERRUPT ? undefined : { interruptId };
  const answer =
    others.length === 0
      ? { resume: only.payload ?? null, ...defined({ interruptEvent }) }
      : {
          resume: Object.fromEntries(
            (resume ?? []).map((entry) => [entry.interruptId, entry.payload ?? null]),
          ),
        };
  const props = isRecord(input.forwardedProps) ? input.forwardedProps : {};
  const command = isRecord(props['command']) ? props['command'] : {};
  return { ...rest, forwardedProps: { ...props, command: { ...command, ...answer } } };
}
