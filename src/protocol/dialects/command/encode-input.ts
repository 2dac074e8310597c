import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/basics/index.ts';
import { isRecord } from '../../../core/basics/index.ts';
import { invalidInput } from '../../../core/issues/index.ts';

/** Throws `INPUT_INVALID` for a cancelled answer: a command has no word for it. */
export function encodeInput(input: RunAgentInput): UnknownRecord {
  const { resume, ...rest } = input;
  const [only, ...others] = resume ?? [];
  if (only === undefined) return rest;
  const cancelled = (resume ?? []).findIndex(({ status }) => status === 'cancelled');
  if (cancelled >= 0) {
    throw invalidInput('run input', [
      { pointer: `/resume/${cancelled}/status`, message: 'the command form can only carry resolved answers' },
    ]);
  }
  const answer =
    others.length === 0
      ? (only.payload ?? null)
      : Object.fromEntries((resume ?? []).map(({ interruptId, payload }) => [interruptId, payload ?? null]));
  const props = isRecord(input.forwardedProps) ? input.forwardedProps : {};
  const command = isRecord(props['command']) ? props['command'] : {};
  return { ...rest, forwardedProps: { ...props, command: { ...command, resume: answer } } };
}
