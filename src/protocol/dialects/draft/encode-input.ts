import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/basics/index.ts';
import { defined } from '../../../core/basics/index.ts';
import { invalidInput } from '../../../core/issues/index.ts';
import { UNNAMED_INTERRUPT } from '../../interrupts/approval/index.ts';

/** Throws `INPUT_INVALID` for several answers: the draft carries one per run. */
export function encodeInput(input: RunAgentInput): UnknownRecord {
  const { resume, ...rest } = input;
  const [answer, ...more] = resume ?? [];
  if (answer === undefined) return rest;
  if (more.length > 0) {
    throw invalidInput('run input', [
      { pointer: '/resume', message: 'the draft dialect carries one answer per run' },
    ]);
  }
  const { interruptId, status, payload, metadata: _unsent, ...extra } = answer;
  return {
    ...rest,
    resume: {
      ...extra,
      ...(interruptId === UNNAMED_INTERRUPT ? {} : { interruptId }),
      ...(status === 'cancelled' ? { status } : {}),
      ...defined({ payload }),
    },
  };
}
