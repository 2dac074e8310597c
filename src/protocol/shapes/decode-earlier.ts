import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';
import { defined, invalidInput, isRecord, kindOf } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import { checkPart, newFindings } from './check-shape.ts';
import type { DecodeOptions } from './decode.ts';
import { decodeEventWith } from './decode.ts';

/** Reads an event like {@link decodeEvent}, with parts of earlier protocols in their current form. */
export function decodeAnyEvent(value: unknown, options: DecodeOptions): AgentStreamEvent | undefined {
  return decodeEventWith(upgradeBinaryPart, value, options);
}

/**
 * Reads a value as a RunAgentInput of AG-UI 1.0; missing `tools` and `context` read as empty, `binary` parts of
 * earlier clients as media. Throws
 * `INPUT_INVALID` with pointers for a malformed input.
 *
 * @example
 * ```ts
 * import { decodeRunInput } from 'holdpoint/protocol';
 *
 * const input = decodeRunInput(await request.json());
 * ```
 */
export function decodeRunInput(value: unknown, options: DecodeOptions = {}): RunAgentInput {
  if (!isRecord(value)) {
    throw invalidInput('run input', [{ pointer: '', message: `expected an object, found ${kindOf(value)}` }]);
  }
  const findings = newFindings(options.onUnknown, upgradeBinaryPart);
  const filled = { ...value, tools: value['tools'] ?? [], context: value['context'] ?? [] };
  const input = checkPart(filled, 'RunAgentInput', findings);
  if (findings.issues.length > 0) throw invalidInput('run input', findings.issues);
  return input as RunAgentInput;
}

/**
 * The current form of a `binary` content part, which clients up to 0.0.47 send: `{mimeType, data | url | id,
 * filename?}`. Undefined for another part, and for one without a media type or a source.
 */
function upgradeBinaryPart(part: UnknownRecord): UnknownRecord | undefined {
  const { type, mimeType = part['mime_type'], data, url, id, filename } = part;
  if (type !== 'binary' || typeof mimeType !== 'string') return undefined;
  const [kind = ''] = mimeType.split('/');
  const source = sourceOf({ data, url, file: id }, mimeType);
  if (source === undefined) return undefined;
  return {
    type: ['image', 'audio', 'video'].includes(kind) ? kind : 'document',
    source,
    ...defined({ metadata: typeof filename === 'string' ? { filename } : undefined }),
  };
}

/** The first source that is there. */
function sourceOf(sources: UnknownRecord, mimeType: string): UnknownRecord | undefined {
  for (const [type, value] of Object.entries(sources)) {
    if (typeof value === 'string' && value !== '') return { type, value, mimeType };
  }
  return undefined;
}
