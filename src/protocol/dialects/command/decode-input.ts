import type { ResumeEntry, RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/basics/index.ts';
import { isRecord, ownMember } from '../../../core/basics/index.ts';
import { UNNAMED_INTERRUPT } from '../../interrupts/approval/index.ts';
import type { InputContext } from '../dialect.ts';
import { decodeInput as decodeV1 } from '../v1/decode-input.ts';

/** An input that answers by a command and not by `resume`. */
export function ownsInput(value: UnknownRecord): boolean {
  return value['resume'] === undefined && commandAnswer(value) !== undefined;
}

/** The answer is in `forwardedProps.command.resume`: to the only open question, or a map by id. */
export function decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput {
  const answer = commandAnswer(value);
  if (answer === undefined || value['resume'] !== undefined) return decodeV1(value, context);
  return decodeV1(
    { ...value, forwardedProps: withoutAnswer(value), resume: toEntries(answer.value, context) },
    context,
  );
}

/** What `forwardedProps.command.resume` holds; undefined when there is no such member. */
function commandAnswer(value: UnknownRecord): { readonly value: unknown } | undefined {
  const command = isRecord(value['forwardedProps'])
    ? ownMember(value['forwardedProps'], 'command')
    : undefined;
  if (!isRecord(command) || !Object.hasOwn(command, 'resume')) return undefined;
  return { value: command['resume'] };
}

function toEntries(answer: unknown, { openIds = [] }: InputContext): ResumeEntry[] {
  if (isRecord(answer)) {
    const ids = Object.keys(answer);
    if (ids.length > 0 && ids.every((id) => openIds.includes(id))) {
      return ids.map((interruptId) => ({ interruptId, status: 'resolved', payload: answer[interruptId] }));
    }
  }
  const [only, ...others] = openIds;
  const interruptId = only !== undefined && others.length === 0 ? only : UNNAMED_INTERRUPT;
  return [{ interruptId, status: 'resolved', payload: answer }];
}

/** The answer is taken out of the forwarded properties, so that it is not given twice. */
function withoutAnswer(value: UnknownRecord): UnknownRecord | undefined {
  if (!isRecord(value['forwardedProps'])) return undefined;
  const { command, ...rest } = value['forwardedProps'];
  const { resume: _taken, ...otherCommands } = isRecord(command) ? command : {};
  const props = Object.keys(otherCommands).length > 0 ? { ...rest, command: otherCommands } : rest;
  return Object.keys(props).length > 0 ? props : undefined;
}
