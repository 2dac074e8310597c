import type { SchemaDraft } from '@cfworker/json-schema';
import { Validator } from '@cfworker/json-schema';
import { canonicalJson } from '../canonical-json.ts';
import type { Issue } from '../holdpoint-error.ts';
import { invalidInput } from '../holdpoint-error.ts';
import { isRecord } from '../json-value.ts';
import { checkSchemaSize } from './check-schema-size.ts';
import type { ValueCopy } from './copy-value.ts';
import { copyValue } from './copy-value.ts';
import { describeErrors } from './describe-errors.ts';
import type { PreparedRoot } from './prepare-schema.ts';
import { prepareSchema } from './prepare-schema.ts';
import type { JsonSchema } from './schema-like.ts';
import type { SchemaLimits } from './schema-limits.ts';
import { DEFAULT_SCHEMA_LIMITS } from './schema-limits.ts';

/** A schema that is known to be sound and bounded, ready to check values. */
export interface CompiledSchema {
  /** What is wrong with the value, in the order of the schema, at most 100 issues; never throws. */
  readonly validate: (value: unknown) => Issue[];
}

const MAX_ISSUES = 100;
/** A name is matched against every pattern of `patternProperties`. */
const MAX_NAME = 1000;
const MAX_UNIQUE_ITEMS = 2000;

const compiled = new WeakMap<object, CompiledSchema>();
const compiledTexts = new Map<string, CompiledSchema>();
const MAX_REMEMBERED = 200;
const MAX_REMEMBERED_TEXT = 4000;

/**
 * Makes a validator of a JSON Schema: draft 2020-12, or the draft that `$schema` names (4, 6, 7,
 * 2019-09). Compiled once per schema object, which must not be changed afterwards, and once for small schemas of
 * the same text; `limits` bypass that memory.
 * Issues are RFC 6901 pointers with "expected …"; a missing member is reported at the pointer that
 * it would have. Throws `INPUT_INVALID`, with pointers into the schema, for one that is too large,
 * malformed, refers to anything outside itself or in circles, or has a pattern that is invalid or
 * could take too long.
 */
export function compileJsonSchema(schema: JsonSchema, limits?: Partial<SchemaLimits>): CompiledSchema {
  if (limits !== undefined || typeof schema !== 'object' || schema === null)
    return compile(schema, limits ?? {});
  const known = compiled.get(schema) ?? compileText(schema);
  compiled.set(schema, known);
  return known;
}

/** A schema that came back from a store or off the wire is another object with the same text. */
function compileText(schema: object): CompiledSchema {
  const text = textOf(schema);
  if (text === undefined || text.length > MAX_REMEMBERED_TEXT) return compile(schema, {});
  const known = compiledTexts.get(text);
  if (known !== undefined) return known;
  const fresh = compile(schema, {});
  const [oldest] = compiledTexts.keys();
  if (oldest !== undefined && compiledTexts.size >= MAX_REMEMBERED) compiledTexts.delete(oldest);
  compiledTexts.set(text, fresh);
  return fresh;
}

/** What JSON cannot write, {@link compile} refuses with a pointer. */
function textOf(schema: object): string | undefined {
  try {
    return canonicalJson(schema);
  } catch {
    return undefined;
  }
}

function compile(schema: unknown, someLimits: Partial<SchemaLimits>): CompiledSchema {
  const limits = { ...DEFAULT_SCHEMA_LIMITS, ...someLimits };
  const sizeIssue = checkSchemaSize(schema, limits);
  if (sizeIssue !== undefined) throw invalidInput('JSON Schema', [sizeIssue]);
  const draft = draftOf(schema);
  let steps = 0;
  const onVisit = (cost: number) => {
    steps += cost;
    if (steps > limits.maxSteps)
      throw new Unbounded(`a value that can be checked in ${limits.maxSteps} steps`);
  };
  const onLongText = (limit: number) => {
    throw new Unbounded(`at most ${limit} characters where a pattern applies`);
  };
  const prepared = prepareSchema(schema, { draft, onVisit, onLongText });
  if (prepared.issues.length > 0) throw invalidInput('JSON Schema', prepared.issues);
  const run = createRun(prepared, draft);

  return {
    validate(value) {
      const copy = copyValue(value);
      const issues = [...copy.issues, ...checkMeasures(copy, prepared)];
      if (issues.length > 0) return issues.slice(0, MAX_ISSUES);
      steps = 0;
      try {
        return run(copy.value).slice(0, MAX_ISSUES);
      } catch (error) {
        const expected = error instanceof Unbounded ? error.expected : 'a value that can be checked';
        return [{ pointer: '', message: `expected ${expected}` }];
      }
    },
  };
}

/** Ends a validation that would take too long. */
class Unbounded extends Error {
  readonly expected: string;

  constructor(expected: string) {
    super(expected);
    this.expected = expected;
  }
}

/** Finds every error, or the first ones where there are more than the call stack can hold. */
function createRun(prepared: PreparedRoot, draft: SchemaDraft): (value: unknown) => Issue[] {
  const { schema } = prepared;
  let all: Validator;
  let first: Validator;
  try {
    all = new Validator(schema, draft, false);
    first = new Validator(schema, draft, true);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw invalidInput('JSON Schema', [
      { pointer: '', message: `expected names that can be addressed: ${message}` },
    ]);
  }
  const collect = (value: unknown) => {
    try {
      return all.validate(value);
    } catch (error) {
      if (error instanceof RangeError) return first.validate(value);
      throw error;
    }
  };
  return (value) => {
    const result = collect(value);
    return result.valid ? [] : describeErrors(result.errors, { schema, value });
  };
}

function checkMeasures(copy: ValueCopy, prepared: PreparedRoot): Issue[] {
  const issues: Issue[] = [];
  if (prepared.hasNamePatterns && copy.longestName > MAX_NAME) {
    issues.push({
      pointer: '',
      message: `expected names of at most ${MAX_NAME} characters where a pattern applies`,
    });
  }
  if (prepared.hasUniqueItems && copy.longestArray > MAX_UNIQUE_ITEMS) {
    issues.push({
      pointer: '',
      message: `expected at most ${MAX_UNIQUE_ITEMS} items where they must be unique`,
    });
  }
  return issues;
}

function draftOf(schema: unknown): SchemaDraft {
  const name = isRecord(schema) && typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  if (name.includes('draft-04')) return '4';
  if (name.includes('draft-06') || name.includes('draft-07')) return '7';
  return name.includes('2019-09') ? '2019-09' : '2020-12';
}
