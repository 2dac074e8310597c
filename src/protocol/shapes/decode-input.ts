import type { RunAgentInput } from '@ag-ui/core';
import { invalidInput, isRecord, kindOf } from '../../core/index.ts';
import { checkPart, newFindings } from './check-shape.ts';
import type { DecodeOptions } from './decode-event.ts';

/**
 * Reads a value as a RunAgentInput of AG-UI 1.0; missing `tools` and `context` read as empty. Throws
 * `INPUT_INVALID` with pointers for a malformed input.
 */
export function decodeRunInput(value: unknown, options: DecodeOptions = {}): RunAgentInput {
  if (!isRecord(value)) {
    throw invalidInput('run input', [{ pointer: '', message: `expected an object, found ${kindOf(value)}` }]);
  }
  const findings = newFindings(options.onUnknown);
  const filled = { ...value, tools: value['tools'] ?? [], context: value['context'] ?? [] };
  const input = checkPart(filled, 'RunAgentInput', findings);
  if (findings.issues.length > 0) throw invalidInput('run input', findings.issues);
  return input as RunAgentInput;
}
