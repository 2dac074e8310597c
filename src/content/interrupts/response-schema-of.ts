import type { UnknownRecord } from '../../core/index.ts';
import { defined, isRecord, ownMember } from '../../core/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { payloadOf } from '../../protocol/interrupts/approval.ts';
import { InterruptReason } from '../../protocol/interrupts/interrupt.ts';
import { asksForDecision } from './approval-rules.ts';
import { approvalResponseSchema } from './response-schemas.ts';

/**
 * The response schema of an interrupt. For an interrupt without one, as the draft and foreign agents send it, the schema of
 * the answer that its reason and payload ask for: an approval, a file, a text, or any JSON. The schema tells a person what to
 * give; a host accepts any answer to such an interrupt.
 *
 * @example
 * ```ts
 * import { responseSchemaOf } from 'holdpoint/content';
 *
 * const schema = responseSchemaOf({ id: 'i1', reason: 'input_required', metadata: { payload: { inputType: 'email' } } });
 * console.log(schema['format']); // 'email'
 * ```
 */
export function responseSchemaOf(interrupt: Interrupt): UnknownRecord {
  const { responseSchema, reason, message, metadata = {} } = interrupt;
  if (responseSchema !== undefined) return responseSchema;
  const payload = payloadOf(interrupt);
  if (asksForDecision(interrupt)) return decisionSchema(interrupt, payload);
  const given: UnknownRecord = { ...metadata, ...(isRecord(payload) ? payload : {}) };
  const inputType = ownMember(given, 'inputType');
  if (reason === InterruptReason.UploadRequired || inputType === 'file') return fileSchema(given);
  const hasPrompt = message !== undefined || typeof ownMember(given, 'prompt') === 'string';
  const isQuestion = hasPrompt && reason !== InterruptReason.Confirmation;
  if (reason !== InterruptReason.InputRequired && !isQuestion) return {};
  return schemaOfInputType(inputType) ?? { type: 'string' };
}

/** An approval; of a change of a database, or with `modifications` in its payload, it may be given with modifications. */
function decisionSchema({ reason }: Interrupt, payload: unknown): UnknownRecord {
  const proposed = isRecord(payload) ? ownMember(payload, 'modifications') : undefined;
  if (isRecord(proposed)) return approvalResponseSchema({ extras: { modifications: schemaFor(proposed) } });
  if (reason !== InterruptReason.DatabaseModification) return approvalResponseSchema();
  return approvalResponseSchema({ extras: { modifications: { type: 'object' } } });
}

/** The schema of proposed values: the value itself if it is a schema, else its members with their types and values. */
function schemaFor(proposed: unknown, depth = 0): UnknownRecord {
  if (!isRecord(proposed) || depth > DEEPEST) return { ...typeOf(proposed), default: proposed };
  const { type, properties } = proposed;
  if (type === 'object' ? isRecord(properties) : JSON_TYPES.has(type)) return proposed;
  const members = Object.entries(proposed).map(([name, value]) => [name, schemaFor(value, depth + 1)]);
  return { type: 'object', properties: Object.fromEntries(members) };
}

const DEEPEST = 3;
const JSON_TYPES: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'array',
]);

function typeOf(value: unknown): UnknownRecord {
  const type = Array.isArray(value) ? 'array' : typeof value;
  return ['string', 'number', 'boolean', 'array'].includes(type) ? { type } : {};
}

function fileSchema(given: UnknownRecord): UnknownRecord {
  const accept = ownMember(given, 'accept');
  const maxBytes = ownMember(given, 'maxBytes');
  return {
    type: 'object',
    format: 'file',
    properties: { fileId: { type: 'string' }, name: { type: 'string' } },
    required: ['fileId'],
    ...defined({ accept, maxBytes }),
  };
}

/** The schema of a value that is entered in an input of this HTML type, or in a `textarea`; undefined for other words. */
export function schemaOfInputType(inputType: unknown): UnknownRecord | undefined {
  const schema = BY_INPUT_TYPE.get(typeof inputType === 'string' ? inputType.toLowerCase() : inputType);
  return schema === undefined ? undefined : { type: 'string', ...schema };
}

const BY_INPUT_TYPE: ReadonlyMap<unknown, UnknownRecord> = /* @__PURE__ */ new Map<unknown, UnknownRecord>([
  ['text', {}],
  ['tel', { format: 'tel' }],
  ['email', { format: 'email' }],
  ['url', { format: 'uri' }],
  ['date', { format: 'date' }],
  ['time', { format: 'time' }],
  ['datetime-local', { format: 'date-time' }],
  ['password', { format: 'password' }],
  ['textarea', { format: 'textarea' }],
  ['number', { type: 'number' }],
  ['checkbox', { type: 'boolean' }],
]);
