import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/index.ts';
import { isRecord } from '../../../core/index.ts';
import type { InputContext } from '../dialect.ts';
import { decodeInput as decodeDraftInput } from '../draft/decode-input.ts';
import { renamePart } from './rename-members.ts';

/** True for an input with snake-case ids. */
export function ownsInput(value: UnknownRecord): boolean {
  return Object.hasOwn(value, 'thread_id') || Object.hasOwn(value, 'run_id');
}

/** Reads snake-case names, with the `resume` of 1.0 or of the draft. */
export function decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput {
  const input = renamePart(value, 'RunAgentInput', 'toCamel');
  if (!isRecord(input) || !isRecord(input['resume']))
    return decodeDraftInput(isRecord(input) ? input : value, context);
  const { thread_id: threadId, ...resume } = input['resume'];
  return decodeDraftInput(
    { ...input, resume: threadId === undefined ? resume : { ...resume, threadId } },
    context,
  );
}
