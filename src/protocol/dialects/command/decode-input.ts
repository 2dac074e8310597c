import type { ResumeEntry, RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/index.ts';
import { isRecord, ownMember } from '../../../core/index.ts';
import { UNNAMED_INTERRUPT } from '../../interrupts/unnamed-interrupt.ts';
import type { InputContext } from '../dialect.ts';
import { decodeInput as decodeV1Input } from '../v1/decode-input.ts';
import { announcedId, interruptIdIn } from './announcement.ts';

/** True for an input that answers by a command instead of `resume`. */
export function ownsInput(value: UnknownRecord): boolean {
  return value['resume'] === undefined && commandAnswer(value) !== undefined;
}

/**
 * Reads the answer in `forwardedProps.command.resume`: a map by id, or one answer. One answer is for the interrupt
 * in `interruptEvent`, else for the last one that the transcript announces, else for no interrupt. Drops the
 * announcing messages, which only this dialect has.
 */
export function decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput {
  const announced = listOf(value['messages']).flatMap((message) => announcedBy(message) ?? []);
  const input = announced.length === 0 ? value : { ...value, messages: withoutAnnouncements(value) };
  const answer = commandAnswer(value);
  if (answer === undefined || value['resume'] !== undefined) return decodeV1Input(input, context);
  const interruptId = interruptIdIn(answer.event) ?? announced.at(-1) ?? UNNAMED_INTERRUPT;
  const resume = byId(answer.value, context) ?? [
    { interruptId, status: 'resolved', payload: answer.value } satisfies ResumeEntry,
  ];
  return decodeV1Input({ ...input, forwardedProps: withoutAnswer(value), resume }, context);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function announcedBy(message: unknown): string | undefined {
  return isRecord(message) && message['role'] === 'assistant' ? announcedId(message['id']) : undefined;
}

function withoutAnnouncements({ messages }: UnknownRecord): readonly unknown[] {
  return listOf(messages).filter((message) => announcedBy(message) === undefined);
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
