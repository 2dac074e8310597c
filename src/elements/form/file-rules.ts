import type { UnknownRecord } from '../../core/index.ts';
import { defined, isRecord } from '../../core/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import type { FileRules } from './field.ts';

/** Members of a file reference. */
const REFERENCE = new Set(['id', 'fileId', 'name', 'fileName', 'type', 'mediaType', 'size', 'url']);
const FILE_FORMATS = new Set<unknown>(['file', 'file-id', 'binary']);
const FILE_NAME = /file|upload|attachment|document|image|photo/i;

/**
 * The file rules of a schema that asks for a file: `format: "file"`, a `contentMediaType`, or an object with an id
 * and otherwise only file members. In an interrupt about an upload, a string with the name of a file member counts
 * too.
 */
export function fileRules(
  schema: UnknownRecord,
  position: { readonly name: string; readonly files?: FileRules | undefined; readonly depth: number },
): FileRules | undefined {
  const accept = firstText(schema, ['accept', 'contentMediaType']) ?? listText(schema['x-accept']);
  const maxBytes = firstNumber(schema, ['maxBytes', 'x-maxBytes', 'maxSize']);
  const rules = {
    ...position.files,
    ...defined({ accept, maxBytes }),
  };
  const { type, properties } = schema;
  const says = FILE_FORMATS.has(schema['format']) || schema['contentMediaType'] !== undefined;
  const isNamed = position.files !== undefined && (FILE_NAME.test(position.name) || position.depth === 0);
  if (type === 'string' && schema['enum'] === undefined && (says || isNamed)) return rules;
  if (!isRecord(properties)) return undefined;
  const members = Object.keys(properties);
  const hasId = members.some((name) => name === 'id' || name === 'fileId');
  const isReference = hasId && members.every((name) => REFERENCE.has(name));
  return isReference && (says || position.files !== undefined) ? { ...rules, members } : undefined;
}

/** The name of the file that a value refers to: an object with an id, a name and otherwise only file members. */
export function fileNameIn(value: unknown): string | undefined {
  if (!isRecord(value) || !Object.keys(value).every((name) => REFERENCE.has(name))) return undefined;
  return firstText(value, ['id', 'fileId']) === undefined
    ? undefined
    : firstText(value, ['name', 'fileName']);
}

/** The files that an upload interrupt asks for, with their limits; undefined for other interrupts. */
export function wantedFiles({ reason, metadata = {} }: Interrupt): FileRules | undefined {
  if (reason !== InterruptReason.UploadRequired) return undefined;
  const accept = firstText(metadata, ['accept']) ?? listText(metadata['accept']);
  const maxBytes = firstNumber(metadata, ['maxBytes']);
  return {
    ...defined({ accept, maxBytes }),
  };
}

function firstText(schema: UnknownRecord, names: readonly string[]): string | undefined {
  return names.map((name) => schema[name]).find((value) => typeof value === 'string');
}

function listText(value: unknown): string | undefined {
  return Array.isArray(value) ? value.join(',') : undefined;
}

function firstNumber(schema: UnknownRecord, names: readonly string[]): number | undefined {
  return names.map((name) => schema[name]).find((value) => typeof value === 'number');
}
