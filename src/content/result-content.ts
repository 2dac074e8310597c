import { isRecord, ownMember } from '../core/index.ts';
import type { ContentPart } from '../protocol/index.ts';
import type { FunctionResultContent } from './chat-content.ts';
import { jsonText, parseResult, sameJson } from './json-forms.ts';

type ResultContent = string | ContentPart[];

const PART_TYPES: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'video', 'document']);

/** The result in a tool message or event: parts unchanged, JSON objects and arrays parsed, other text unchanged. */
export function readResult(content: string | readonly ContentPart[]): unknown {
  return typeof content === 'string' ? parseResult(content) : content;
}

/**
 * The content of a tool message or event for a result. An unchanged result is written exactly as it was read. A
 * failure without a result is written as its error message.
 */
export function writeResult({ result, error, rawRepresentation: raw }: FunctionResultContent): ResultContent {
  const before = isRecord(raw) ? ownMember(raw, 'content') : undefined;
  if (typeof before === 'string' && sameJson(parseResult(before), result)) return before;
  if (Array.isArray(before) && before === result) return before;
  if (isParts(result)) return [...result];
  return result === undefined ? (error ?? '') : jsonText(result);
}

function isParts(value: unknown): value is ContentPart[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPart);
}

function isPart(value: unknown): boolean {
  if (!isRecord(value) || !PART_TYPES.has(ownMember(value, 'type'))) return false;
  return value['type'] === 'text'
    ? typeof ownMember(value, 'text') === 'string'
    : isSource(ownMember(value, 'source'));
}

function isSource(value: unknown): boolean {
  return isRecord(value) && typeof ownMember(value, 'value') === 'string';
}
