import { canonicalJson } from '../canonical-json.ts';
import type { Issue } from '../holdpoint-error.ts';
import { invalidInput } from '../invalid-value.ts';
import { isRecord } from '../json-value.ts';
import { checkSchemaSize, DEFAULT_SCHEMA_LIMITS } from './schema-limits.ts';
import type { ValueCopy } from './copy-value.ts';
import { copyValue } from './copy-value.ts';
import { describeFailures } from './describe-failures.ts';
import type { Draft, PreparedRoot, PrepareOptions } from './prepare-schema.ts';
import { prepareSchema } from './prepare-schema.ts';
import type { JsonSchema } from './schema-like.ts';
import type { SchemaLimits } from './schema-limits.ts';
import type { Failure } from './evaluate-schema.ts';
import { evaluateSchema } from './evaluate-schema.ts';

/** A valid, bounded schema, ready to check values. */
export interface CompiledSchema {
  /** Returns the issues of a value in the order of the schema, at most 100; never throws. */
  readonly validate: (value: unknown) => Issue[];
}

type CompilePattern = PrepareOptions['compilePattern'];
type CompileSchema = (schema: JsonSchema, limits?: Partial<SchemaLimits>) => CompiledSchema;

const MAX_ISSUES = 100;
/** Longest member name, because a name is matched against every pattern of `patternProperties`. */
const MAX_NAME = 1000;
const MAX_UNIQUE_ITEMS = 2000;
/** Evaluation stops after this number of failures. */
const MAX_FAILURES = 100_000;

const MAX_REMEMBERED = 200;
const MAX_REMEMBERED_TEXT = 4000;

/** Creates a compiler of JSON Schemas with its own cache and one way to compile patterns. */
export function createSchemaCompiler(compilePattern: CompilePattern): CompileSchema {
  const compiled = new WeakMap<object, CompiledSchema>();
  const compiledTexts = new Map<string, CompiledSchema>();

  /** A schema from a store or from the wire is a new object with the same text. */
  const compileText = (schema: object): CompiledSchema => {
    const text = textOf(schema);
    const known = compiledTexts.get(text ?? '');
    if (known !== undefined) return known;
    const fresh = compile(schema, compilePattern);
    if (text === undefined || text.length > MAX_REMEMBERED_TEXT) return fresh;
    const [oldest] = compiledTexts.keys();
    if (oldest !== undefined && compiledTexts.size >= MAX_REMEMBERED) compiledTexts.delete(oldest);
    compiledTexts.set(text, fresh);
    return fresh;
  };
  return (schema, limits) => {
    if (limits !== undefined || typeof schema !== 'object' || schema === null) {
      return compile(schema, compilePattern, limits);
    }
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const found = compileText(schema);
    compiled.set(schema, found);
    return found;
  };
}

/** Undefined for a schema that is not JSON: {@link compile} rejects it with a pointer. */
function textOf(schema: object): string | undefined {
  try {
    return canonicalJson(schema);
  } catch {
    return undefined;
  }
}

function compile(
  schema: unknown,
  compilePattern: CompilePattern,
  someLimits: Partial<SchemaLimits> = {},
): CompiledSchema {
  const limits = { ...DEFAULT_SCHEMA_LIMITS, ...someLimits };
  const sizeIssue = checkSchemaSize(schema, limits);
  if (sizeIssue !== undefined) throw invalidInput('JSON Schema', [sizeIssue]);
  const prepared = prepareSchema(schema, { compilePattern, draft: draftOf(schema) });
  if (prepared.issues.length > 0) throw invalidInput('JSON Schema', prepared.issues);

  let steps = 0;
  const options = {
    onVisit: (cost: number) => {
      steps += cost;
      if (steps > limits.maxSteps) {
        throw new Unbounded(`a value that can be checked in ${limits.maxSteps} steps`);
      }
    },
    onLongText(limit: number) {
      throw new Unbounded(`at most ${limit} characters where a pattern applies`);
    },
  };
  const evaluate = (value: unknown): Failure[] => {
    steps = 0;
    const all = evaluateSchema(value, prepared, { ...options, stopEarly: false });
    return all.length > MAX_FAILURES ? evaluateSchema(value, prepared, { ...options, stopEarly: true }) : all;
  };
  return {
    validate(input) {
      const copy = copyValue(input);
      const issues = [...copy.issues, ...checkMeasures(copy, prepared)];
      if (issues.length > 0) return issues.slice(0, MAX_ISSUES);
      const { value } = copy;
      try {
        const failures = evaluate(value);
        if (failures.length === 0) return [];
        const context = { schema: prepared.schema, value, onVisit: options.onVisit };
        return describeFailures(failures, context).slice(0, MAX_ISSUES);
      } catch (error) {
        const expected = error instanceof Unbounded ? error.message : 'a value that can be checked';
        return [{ pointer: '', message: `expected ${expected}` }];
      }
    },
  };
}

/** Ends a validation that would take too long; its message names the expected value. */
class Unbounded extends Error {}

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

function draftOf(schema: unknown): Draft {
  const name = isRecord(schema) && typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  if (name.includes('draft-04')) return '4';
  if (name.includes('draft-06') || name.includes('draft-07')) return '7';
  return name.includes('2019-09') ? '2019-09' : '2020-12';
}
