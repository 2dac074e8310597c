import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/index.ts';
import { invalidInput, isRecord } from '../../../core/index.ts';
import { UNNAMED_INTERRUPT } from '../../interrupts/unnamed-interrupt.ts';

/**
 * Writes one answer as its value, with the interrupt id in `interruptEvent`; several answers as a map by id. Throws
 * `INPUT_INVALID` for a cancelled answer, which a command cannot express.
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
