import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/basics/index.ts';
import { isRecord } from '../../../core/basics/index.ts';
import { invalidInput } from '../../../core/issues/index.ts';
import { UNNAMED_INTERRUPT } from '../../interrupts/approval/index.ts';

/**
 * One answer goes out as its value, with the id of its interrupt in `interruptEvent`; several as a map by id. Throws
 * `INPUT_INVALID` for a cancelled answer: a command has no word for it.
 */
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
  const { interruptId } = only;
  const proof = interruptId === UNNAMED_INTERRUPT ? {} : { interruptEvent: { interruptId } };
  const answer =
    others.length === 0
      ? { resume: only.payload ?? null, ...proof }
      : {
          resume: Object.fromEntries(
            (resume ?? []).map((entry) => [entry.interruptId, entry.payload ?? null]),
          ),
        };
  const props = isRecord(input.forwardedProps) ? input.forwardedProps : {};
  const command = isRecord(props['command']) ? props['command'] : {};
  return { ...rest, forwardedProps: { ...props, command: { ...command, ...answer } } };
}
