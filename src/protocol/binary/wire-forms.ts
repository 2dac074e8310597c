import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import { malformed, notEncodable, notNamed } from './binary-errors.ts';

interface WireForm {
  readonly toWire: (record: UnknownRecord) => UnknownRecord;
  readonly fromWire: (record: UnknownRecord) => UnknownRecord;
}

/** The messages whose wire fields differ from their JSON. */
const FORMS = new Map<string, WireForm>([
  ['Message', { toWire: splitContent, fromWire: joinMessageContent }],
  ['TOOL_CALL_RESULT', { toWire: splitContent, fromWire: joinResultContent }],
  ['RUN_FINISHED', { toWire: flattenOutcome, fromWire: gatherOutcome }],
  ['SUBAGENT_FINISHED', { toWire: flattenOutcome, fromWire: gatherOutcome }],
  ['PatchOperation', { toWire: numberOperation, fromWire: nameOperation }],
]);

/** The wire fields of a record. */
export function toWireForm(name: string, record: UnknownRecord): UnknownRecord {
  return FORMS.get(name)?.toWire(record) ?? record;
}

/** The record of wire fields; may change and return its argument. */
export function fromWireForm(name: string, record: UnknownRecord): UnknownRecord {
  return FORMS.get(name)?.fromWire(record) ?? record;
}

/** The wire fields for JSON's `content`: text, parts or an object. */
const CONTENT_FIELDS = ['content', 'contentParts', 'activityContent'] as const;
type ContentField = (typeof CONTENT_FIELDS)[number];

/** The forms of each role of AG-UI 1.0. */
const FIELDS_OF_ROLE = new Map<unknown, readonly ContentField[]>([
  ['developer', ['content']],
  ['system', ['content']],
  ['assistant', ['content']],
  ['reasoning', ['content']],
  ['user', ['content', 'contentParts']],
  ['tool', ['content', 'contentParts']],
  ['activity', ['activityContent']],
]);

/** Moves the `content` of a message or a tool result to the wire field of its form. */
function splitContent(record: UnknownRecord): UnknownRecord {
  const { content, ...rest } = record;
  const form = Array.isArray(content)
    ? 'contentParts'
    : record.role === 'activity'
      ? 'activityContent'
      : 'content';
  return { ...rest, contentParts: undefined, activityContent: undefined, [form]: content };
}

/**
 * Reverts {@link splitContent} for a message. A role of a later protocol may use any form. Throws `INPUT_INVALID`
 * for two forms at once and for a form that the role does not have.
 */
function joinMessageContent(message: UnknownRecord): UnknownRecord {
  return joinContent(message, message.role);
}

/** Reverts {@link splitContent} for a tool result, whose `role` may be absent. Throws as for a message. */
function joinResultContent(result: UnknownRecord): UnknownRecord {
  return joinContent(result, 'tool');
}

function joinContent(record: UnknownRecord, role: unknown): UnknownRecord {
  const { content, contentParts, activityContent, ...joined } = record;
  const [form, another] = CONTENT_FIELDS.filter((name) => record[name] !== undefined);
  if (another !== undefined) throw malformed(`a message has both ${form} and ${another}`);
  const allowed = FIELDS_OF_ROLE.get(role);
  if (form !== undefined && allowed?.includes(form) === false) {
    throw malformed(`a message of the role ${String(role)} has ${form}`);
  }
  const value = content ?? readableParts(contentParts) ?? activityContent;
  if (value !== undefined) joined.content = value;
  // An empty list has no bytes, so an absent list of parts is an empty one.
  else if (allowed?.includes('contentParts') === true) joined.content = [];
  return joined;
}

/** Drops the parts of a later protocol, and parts with a source of one: neither has a known type. */
function readableParts(parts: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(parts)) return undefined;
  return parts.filter((part) => isNamed(part) && (part.source === undefined || isNamed(part.source)));
}

function isNamed(value: unknown): value is UnknownRecord {
  return isRecord(value) && value.type !== undefined;
}

/** The member of each outcome type; on the wire it lies beside the outcome. */
const PAYLOAD_OF = new Map<unknown, string>([
  ['success', 'pendingToolCallIds'],
  ['interrupt', 'interrupts'],
  ['suspended', 'interruptIds'],
]);

/**
 * Flattens the outcome of a run or a subagent: its type becomes a string, empty without an outcome, and its members
 * move beside it. Throws `INPUT_INVALID` for an outcome without a type.
 */
function flattenOutcome(event: UnknownRecord): UnknownRecord {
  const flat: UnknownRecord = { ...event, outcome: '' };
  for (const payload of PAYLOAD_OF.values()) flat[payload] = undefined;
  const { outcome } = event;
  if (outcome === undefined || outcome === null) return flat;
  if (!isRecord(outcome) || typeof outcome.type !== 'string') throw notEncodable('the outcome has no type');
  const payload = PAYLOAD_OF.get(outcome.type);
  if (payload !== undefined) flat[payload] = outcome[payload];
  flat.outcome = outcome.type;
  return flat;
}

/** Restores the outcome object. The members of an unknown type stay, for the caller to judge. */
function gatherOutcome(event: UnknownRecord): UnknownRecord {
  const { outcome: type, ...rest } = event;
  if (type === '') return rest;
  const outcome: UnknownRecord = type === 'interrupt' ? { type, interrupts: [] } : { type };
  for (const payload of PAYLOAD_OF.values()) {
    if (rest[payload] !== undefined) outcome[payload] = rest[payload];
    delete rest[payload];
  }
  return { ...rest, outcome };
}

/** JSON Patch operations by their number on the wire. */
const OPERATIONS: readonly unknown[] = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

/** Replaces the `op` of a JSON Patch operation by its number. Throws `INPUT_INVALID` for an unknown op. */
function numberOperation(operation: UnknownRecord): UnknownRecord {
  const op = OPERATIONS.indexOf(operation.op);
  if (op === -1) throw notNamed('patch operation', operation.op);
  return { ...operation, op };
}

/** Restores the name; an unknown operation keeps its number as text, which is not a valid name. */
function nameOperation(operation: UnknownRecord): UnknownRecord {
  return { ...operation, op: OPERATIONS[Number(operation.op)] ?? String(operation.op) };
}
