import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import { malformed } from './binary-errors.ts';

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
export function splitContent(record: UnknownRecord): UnknownRecord {
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
export function joinMessageContent(message: UnknownRecord): UnknownRecord {
  return joinContent(message, message.role);
}

/** Reverts {@link splitContent} for a tool result, whose `role` may be absent. Throws as for a message. */
export function joinResultContent(result: UnknownRecord): UnknownRecord {
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
