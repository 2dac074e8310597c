import { childPointer } from '../json-pointer.ts';
import { isRecord, listOf } from '../json-value.ts';
import type { PreparedRoot, PreparedSchema } from './prepare-schema.ts';
import { below, Evaluated, memberOf } from './position.ts';
import { fitsFormat, fitsType, isMultiple, lengthOf, sameJson } from './value-checks.ts';
import type { Position } from './position.ts';

/** A keyword that a value does not satisfy. A wrapper comes before the failures below it. */
export interface Failure {
  readonly keyword: string;
  /** The path to the keyword through references by their name; for a `false` schema, the pointer of the value. */
  readonly keywordLocation: string;
  /** The pointer of the value. */
  readonly instanceLocation: string;
}

interface EvaluationOptions {
  /** True: stops at the first invalid member or item. */
  readonly stopEarly: boolean;
  /** Called before each subschema with its cost; may throw to stop. */
  readonly onVisit: (cost: number) => void;
  /** Called instead of matching a text longer than this many characters; must throw. */
  readonly onLongText: (limit: number) => void;
}

/** All failures of a value against a schema, in the order of the schema. */
export function evaluateSchema(value: unknown, root: PreparedRoot, options: EvaluationOptions): Failure[] {
  const evaluation = new Evaluation(root, options);
  evaluation.check(value, root.schema, { pointer: '', location: '', evaluated: new Evaluated() });
  return evaluation.failures;
}

type Schema = Exclude<PreparedSchema, boolean>;

class Evaluation {
  readonly failures: Failure[] = [];
  readonly #root: PreparedRoot;
  readonly #options: EvaluationOptions;

  constructor(root: PreparedRoot, options: EvaluationOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** True when the value is valid; otherwise the reasons are among the failures. */
  check(value: unknown, schema: PreparedSchema, position: Position): boolean {
    const before = this.failures.length;
    if (typeof schema === 'boolean') {
      if (!schema) this.#fail('false', { ...position, location: position.pointer });
      return schema;
    }
    this.#options.onVisit(1);
    const { $ref } = schema;
    if (typeof $ref === 'string') {
      this.#wrap('$ref', position, () => this.check(value, this.#target($ref), below(position, '$ref')));
      if (this.#root.draft === '4' || this.#root.draft === '7') return this.failures.length === before;
    }
    this.#checkAnyValue(value, schema, position);
    if (typeof value === 'string') this.#checkText(value, schema, position);
    else if (typeof value === 'number') this.#checkNumber(value, schema, position);
    else if (Array.isArray(value)) this.#checkItems(value, schema, position);
    else if (isRecord(value)) this.#checkMembers(value, schema, position);
    return this.failures.length === before;
  }

  #fail(keyword: string, { pointer, location }: Position): void {
    const keywordLocation = keyword === 'false' ? location : `${location}/${keyword}`;
    this.failures.push({ keyword, keywordLocation, instanceLocation: pointer });
  }

  /** Inserts the failure of a keyword before those of its subschema, if there are any. */
  #wrap(keyword: string, position: Position, check: () => boolean): boolean {
    const before = this.failures.length;
    if (check()) return true;
    const inside = this.failures.splice(before);
    this.#options.onVisit(inside.length);
    this.#fail(keyword, position);
    for (const failure of inside) this.failures.push(failure);
    return false;
  }

  #target(reference: string): PreparedSchema {
    const { schema } = this.#root;
    if (reference === '#' || typeof schema === 'boolean') return schema;
    return asSchema(recordOf(schema['$defs'])[reference.slice('#/$defs/'.length)]);
  }

  #checkAnyValue(value: unknown, schema: Schema, position: Position): void {
    const { type, enum: choices, if: condition } = schema;
    if (type !== undefined && !fitsType(value, type)) this.#fail('type', position);
    if (schema['const'] !== undefined && !sameJson(value, schema['const'])) this.#fail('const', position);
    if (Array.isArray(choices) && !choices.some((choice) => sameJson(value, choice))) {
      this.#fail('enum', position);
    }
    if (schema['not'] !== undefined) {
      const before = this.failures.length;
      const excluded = this.check(value, asSchema(schema['not']), below(position, 'not', new Evaluated()));
      this.failures.length = before;
      if (excluded) this.#fail('not', position);
    }
    this.#checkAlternatives(value, schema, position);
    if (condition === undefined) return;
    const before = this.failures.length;
    const evaluated = new Evaluated();
    const holds = this.check(value, asSchema(condition), below(position, 'if', evaluated));
    this.failures.length = before;
    if (holds) position.evaluated.join(evaluated);
    const branch = holds ? 'then' : 'else';
    if (schema[branch] === undefined) return;
    this.#wrap('if', position, () => this.check(value, asSchema(schema[branch]), below(position, branch)));
  }

  #checkAlternatives(value: unknown, schema: Schema, position: Position): void {
    const { anyOf, allOf, oneOf, pattern, format } = schema;
    const fitting: Evaluated[] = [];
    if (anyOf !== undefined) {
      fitting.push(...this.#checkEach(value, schema, { keyword: 'anyOf', position, enough: some }));
    }
    if (allOf !== undefined) {
      fitting.push(...this.#checkEach(value, schema, { keyword: 'allOf', position, enough: all }));
    }
    if (pattern !== undefined || format !== undefined) this.#spend(value, pattern);
    if (oneOf !== undefined) {
      fitting.push(...this.#checkEach(value, schema, { keyword: 'oneOf', position, enough: one }));
    }
    for (const evaluated of fitting) position.evaluated.join(evaluated);
  }

  /** Counts the possible cost of a pattern and a format before they run. */
  #spend(value: unknown, pattern: unknown): void {
    this.#options.onVisit(1);
    if (typeof value !== 'string') return;
    const length = lengthOf(value);
    if (length > MAX_TEXT) this.#options.onLongText(MAX_TEXT);
    const compiled = typeof pattern === 'string' ? this.#root.patterns.get(pattern) : undefined;
    if (compiled === undefined || 'refused' in compiled) return;
    this.#options.onVisit(Math.ceil((length * compiled.size) / INSTRUCTIONS_PER_STEP));
  }

  #matches(pattern: string, text: string): boolean {
    const compiled = this.#root.patterns.get(pattern);
    return compiled !== undefined && 'test' in compiled && compiled.test(text);
  }

  /** Checks all alternatives of a keyword; returns the evaluated members of the matching ones. */
  #checkEach(value: unknown, schema: Schema, { keyword, position, enough }: Alternatives): Evaluated[] {
    const schemas = schema[keyword];
    if (!Array.isArray(schemas)) return [];
    const fitting: Evaluated[] = [];
    const before = this.failures.length;
    this.#wrap(keyword, position, () => {
      for (const [index, alternative] of schemas.entries()) {
        const evaluated = new Evaluated(position.evaluated);
        const at = below(position, `${keyword}/${index}`, evaluated);
        if (this.check(value, asSchema(alternative), at)) fitting.push(evaluated);
      }
      return enough(fitting.length, schemas.length);
    });
    if (enough(fitting.length, schemas.length)) this.failures.length = before;
    return fitting;
  }

  #checkMembers(value: Readonly<Record<string, unknown>>, schema: Schema, position: Position): void {
    const { required, propertyNames } = schema;
    const names = Object.keys(value);
    const lacks = (wanted: unknown) => typeof wanted === 'string' && !Object.hasOwn(value, wanted);
    for (const name of listOf(required)) if (lacks(name)) this.#fail('required', position);
    this.#checkCounts(names.length, schema, { position, keywords: MEMBER_COUNTS });
    for (const name of propertyNames === undefined ? [] : names) {
      const at = memberOf(position, name, 'propertyNames');
      this.#wrap('propertyNames', position, () => this.check(name, asSchema(propertyNames), at));
    }
    for (const keyword of DEPENDENCIES) {
      for (const [name, rule] of entriesOf(schema[keyword])) {
        if (!Object.hasOwn(value, name)) continue;
        if (Array.isArray(rule)) {
          for (const wanted of rule) if (lacks(wanted)) this.#fail(keyword, position);
          continue;
        }
        const evaluated = keyword === 'dependencies' ? new Evaluated() : position.evaluated;
        const at = below(position, childPointer(keyword, name), evaluated);
        this.#wrap(keyword, position, () => this.check(value, asSchema(rule), at));
      }
    }

    const rest =
      schema['additionalProperties'] === undefined ? 'unevaluatedProperties' : 'additionalProperties';
    const looked = schema[rest] === undefined ? undefined : new Set<string>();
    const checkMember = (name: string, keyword: string, rule: { schema: unknown; location: string }) => {
      const at = memberOf(position, name, rule.location);
      const fits = this.#wrap(keyword, position, () => this.check(value[name], asSchema(rule.schema), at));
      looked?.add(name);
      if (fits) position.evaluated.add(name);
      return fits || !this.#options.stopEarly;
    };
    const properties = recordOf(schema['properties']);
    for (const name of Object.keys(properties)) {
      if (!Object.hasOwn(value, name)) continue;
      const location = childPointer('properties', name);
      if (!checkMember(name, 'properties', { schema: properties[name], location })) return;
    }
    let goOn = true;
    for (const [pattern, rule] of entriesOf(schema['patternProperties'])) {
      const location = childPointer('patternProperties', pattern);
      for (const name of names.filter((each) => this.#matches(pattern, each))) {
        if (!checkMember(name, 'patternProperties', { schema: rule, location })) goOn = false;
      }
    }
    if (!goOn || looked === undefined) return;
    const isRest = (name: string) =>
      rest === 'additionalProperties' ? !looked.has(name) : !position.evaluated.has(name);
    for (const name of names) {
      if (isRest(name)) checkMember(name, rest, { schema: schema[rest], location: rest });
    }
  }

  #checkItems(value: readonly unknown[], schema: Schema, position: Position): void {
    this.#checkCounts(value.length, schema, { position, keywords: ['maxItems', 'minItems'] });
    const { items, additionalItems, unevaluatedItems } = schema;
    let next = 0;
    /** Checks the items from the next one on, with one schema or one each; false when the check may stop. */
    const checkFrom = (keyword: string, rule: unknown) => {
      const end = Array.isArray(rule) ? Math.min(rule.length, value.length) : value.length;
      for (; next < end; next += 1) {
        const name = String(next);
        if (keyword === 'unevaluatedItems' && position.evaluated.has(name)) continue;
        const own: unknown = Array.isArray(rule) ? rule[next] : rule;
        const location = Array.isArray(rule) ? `${keyword}/${next}` : keyword;
        const at = { ...below(position, location, new Evaluated()), pointer: `${position.pointer}/${name}` };
        position.evaluated.add(name);
        const fits = this.#wrap(keyword, position, () => this.check(value[next], asSchema(own), at));
        if (!fits && this.#options.stopEarly) return false;
      }
      return true;
    };
    let goOn = schema['prefixItems'] === undefined || checkFrom('prefixItems', schema['prefixItems']);
    if (items !== undefined) {
      goOn = checkFrom('items', items) && goOn;
      if (goOn && additionalItems !== undefined) goOn = checkFrom('additionalItems', additionalItems);
    }
    if (schema['contains'] !== undefined) this.#checkContains(value, schema, position);
    if (goOn && unevaluatedItems !== undefined) checkFrom('unevaluatedItems', unevaluatedItems);
    const isRepeated = (item: unknown, index: number) =>
      value.some((other, at) => at < index && sameJson(item, other));
    if (schema['uniqueItems'] === true && value.some(isRepeated)) this.#fail('uniqueItems', position);
  }

  #checkContains(value: readonly unknown[], schema: Schema, position: Position): void {
    const { contains, minContains: least, maxContains: most } = schema;
    const before = this.failures.length;
    let count = 0;
    if (typeof least === 'number' && value.length < least) {
      this.#fail('minContains', position);
      return;
    }
    for (const [index, item] of value.entries()) {
      const at = { ...below(position, 'contains', new Evaluated()), pointer: `${position.pointer}/${index}` };
      if (!this.check(item, asSchema(contains), at)) continue;
      count += 1;
      position.evaluated.add(String(index));
    }
    if (typeof least !== 'number' || count >= least) this.failures.length = before;
    if (typeof least !== 'number' && count === 0) this.#fail('contains', position);
    else if (typeof least === 'number' && count < least) this.#fail('minContains', position);
    else if (typeof most === 'number' && count > most) this.#fail('maxContains', position);
  }

  #checkNumber(value: number, schema: Schema, position: Position): void {
    const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: under, multipleOf } = schema;
    if (typeof minimum === 'number' && (value < minimum || (above === true && value === minimum))) {
      this.#fail('minimum', position);
    }
    if (typeof maximum === 'number' && (value > maximum || (under === true && value === maximum))) {
      this.#fail('maximum', position);
    }
    if (typeof above === 'number' && value <= above) this.#fail('exclusiveMinimum', position);
    if (typeof under === 'number' && value >= under) this.#fail('exclusiveMaximum', position);
    if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf)) this.#fail('multipleOf', position);
  }

  #checkText(value: string, schema: Schema, position: Position): void {
    const { pattern, format } = schema;
    if (schema['minLength'] !== undefined || schema['maxLength'] !== undefined) {
      this.#checkCounts(lengthOf(value), schema, { position, keywords: ['minLength', 'maxLength'] });
    }
    if (typeof pattern === 'string' && !this.#matches(pattern, value)) this.#fail('pattern', position);
    if (typeof format === 'string' && !fitsFormat(format, value)) this.#fail('format', position);
  }

  #checkCounts(count: number, schema: Schema, { position, keywords }: Bounds): void {
    for (const keyword of keywords) {
      const bound = schema[keyword];
      if (typeof bound !== 'number') continue;
      if (keyword.startsWith('min') ? count < bound : count > bound) this.#fail(keyword, position);
    }
  }
}

/** Longest text that a pattern or a format is tried on. */
const MAX_TEXT = 100_000;
/** Instructions of a pattern times characters of the text that count as one step, as a subschema does. */
const INSTRUCTIONS_PER_STEP = 1000;

const MEMBER_COUNTS = ['minProperties', 'maxProperties'];
const DEPENDENCIES = ['dependentRequired', 'dependentSchemas', 'dependencies'];

const some = (count: number) => count > 0;
const all = (count: number, total: number) => count === total;
const one = (count: number) => count === 1;

interface Alternatives {
  readonly keyword: string;
  readonly position: Position;
  /** True when enough alternatives match for the keyword. */
  readonly enough: (count: number, total: number) => boolean;
}

interface Bounds {
  readonly position: Position;
  readonly keywords: readonly string[];
}

/** Every value in the position of a schema is one: `prepareSchema` checks that. */
function asSchema(value: unknown): PreparedSchema {
  return isRecord(value) ? value : value === true;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isRecord(value) ? Object.entries(value) : [];
}
