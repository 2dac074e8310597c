import type { RunAgentInput } from '@ag-ui/core';
import type { Issue, UnknownRecord } from '../../../core/index.ts';
import { invalidInput, isRecord, kindOf } from '../../../core/index.ts';
import { UNNAMED_INTERRUPT } from '../../interrupts/unnamed-interrupt.ts';
import type { InputContext } from '../dialect.ts';
import { decodeInput as decodeV1Input } from '../v1/decode-input.ts';

/** True for an input whose `resume` is one answer. */
export function ownsInput(value: UnknownRecord): boolean {
  return isRecord(value['resume']);
}

/** Reads the draft's input: `resume` is one answer, and every member except the ids is optional. */
export function decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput {
  const { resume, messages, ...rest } = value;
  const input = { ...rest, messages: messages ?? [] };
  if (resume === undefined || resume === null) return decodeV1Input(input, context);
  if (!isRecord(resume)) return decodeV1Input({ ...input, resume }, context);
  return decodeV1Input({ ...input, resume: [toEntry(resume, value['threadId'])] }, context);
}

function toEntry(resume: UnknownRecord, threadId: unknown): UnknownRecord {
  const { threadId: repeated, interruptId, status, ...rest } = resume;
  const issues: Issue[] = [];
  if (interruptId !== undefined && interruptId !== null && typeof interruptId !== 'string') {
    issues.push({
      pointer: '/resume/interruptId',
      message: `expected a string, found ${kindOf(interruptId)}`,
    });
  }
  const state = status ?? 'resolved';
  if (state !== 'resolved' && state !== 'cancelled') {
    issues.push({ pointer: '/resume/status', message: 'expected "resolved" or "cancelled"' });
  }
  if (repeated !== undefined && repeated !== null && repeated !== threadId) {
    issues.push({ pointer: '/resume/threadId', message: 'expected the threadId of the input itself' });
  }
  if (issues.length > 0) throw invalidInput('run input', issues);
  return { ...rest, interruptId: interruptId ?? UNNAMED_INTERRUPT, status: state };
}
