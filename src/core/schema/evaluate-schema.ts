import { childPointer } from '../issues/index.ts';
import { isRecord } from '../json-value.ts';
import type { PreparedRoot, PreparedSchema } from './prepare-schema.ts';
import { Evaluated } from './evaluated.ts';
import { fitsFormat } from './fits-format.ts';
import { isMultiple } from './is-multiple.ts';
import type { Place } from './place.ts';
import { below, memberOf } from './place.ts';
import { sameJson } from './same-json.ts';
import { fitsType, lengthOf } from './value-type.ts';

/** A keyword that a value does not fit. One that only says that something below it is wrong comes before that. */
export interface Failure {
  readonly keyword: string;
  /** The way to the keyword, through references by their name; of a `false` schema, the pointer of the value. */
  readonly keywordLocation: string;
  /** The pointer of the value. */
  readonly instanceLocation: string;
}

export interface EvaluationOptions {
  /** Ends with the first member or item that does not fit. */
  readonly stopEarly: boolean;
  /** Called before each subschema with what that costs; may throw to stop the evaluation. */
  readonly onVisit: (cost: number) => void;
  /** Called in place of matching a text that is longer than this many characters; must throw. */
  readonly onLongText: (limit: number) => void;
}

/** Everything in a value that does not fit a schema, in the order of the schema. */
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

  /** Whether the value fits; if it does not, why is among the failures. */
  check(value: unknown, schema: PreparedSchema, place: Place): boolean {
    const before = this.failures.length;
    if (typeof schema === 'boolean') {
      if (!schema) this.#fail('false', { ...place, location: place.pointer });
      return schema;
    }
    this.#options.onVisit(1);
    const { $ref } = schema;
    if (typeof $ref === 'string') {
      this.#wrap('$ref', place, () => this.check(value, this.#target($ref), below(place, '$ref')));
      if (this.#root.draft === '4' || this.#root.draft === '7') return this.failures.length === before;
    }
    this.#checkAnyValue(value, schema, place);
    if (typeof value === 'string') this.#checkText(value, schema, place);
    else if (typeof value === 'number') this.#checkNumber(value, schema, place);
    else if (Array.isArray(value)) this.#checkItems(value, schema, place);
    else if (isRecord(value)) this.#checkMembers(value, schema, place);
    return this.failures.length === before;
  }

  #fail(keyword: string, { pointer, location }: Place): void {
    const keywordLocation = keyword === 'false' ? location : `${location}/${keyword}`;
    this.failures.push({ keyword, keywordLocation, instanceLocation: pointer });
  }

  /** Puts the failure of a keyword before those of its subschema, if there are any. */
  #wrap(keyword: string, place: Place, check: () => boolean): boolean {
    const before = this.failures.length;
    if (check()) return true;
    const inside = this.failures.splice(before);
    this.#options.onVisit(inside.length);
    this.#fail(keyword, place);
    for (const failure of inside) this.failures.push(failure);
    return false;
  }

  #target(reference: string): PreparedSchema {
    const { schema } = this.#root;
    if (reference === '#' || typeof schema === 'boolean') return schema;
    return asSchema(recordOf(schema['$defs'])[reference.slice('#/$defs/'.length)]);
  }

  #checkAnyValue(value: unknown, schema: Schema, place: Place): void {
    const { type, enum: choices, if: condition } = schema;
    if (type !== undefined && !fitsType(value, type)) this.#fail('type', place);
    if (schema['const'] !== undefined && !sameJson(value, schema['const'])) this.#fail('const', place);
    if (Array.isArray(choices) && !choices.some((choice) => sameJson(value, choice))) {
      this.#fail('enum', place);
    }
    if (schema['not'] !== undefined) {
      const before = this.failures.length;
      const excluded = this.check(value, asSchema(schema['not']), below(place, 'not', new Evaluated()));
      this.failures.length = before;
      if (excluded) this.#fail('not', place);
    }
    this.#checkAlternatives(value, schema, place);
    if (condition === undefined) return;
    const before = this.failures.length;
    const evaluated = new Evaluated();
    const holds = this.check(value, asSchema(condition), below(place, 'if', evaluated));
    this.failures.length = before;
    if (holds) place.evaluated.join(evaluated);
    const branch = holds ? 'then' : 'else';
    if (schema[branch] === undefined) return;
    this.#wrap('if', place, () => this.check(value, asSchema(schema[branch]), below(place, branch)));
  }

  #checkAlternatives(value: unknown, schema: Schema, place: Place): void {
    const { anyOf, allOf, oneOf, pattern, format } = schema;
    const fitting: Evaluated[] = [];
    if (anyOf !== undefined) {
      fitting.push(...this.#checkEach(value, schema, { keyword: 'anyOf', place, enough: some }));
    }
    if (allOf !== undefined) {
      fitting.push(...this.#checkEach(value, schema, { keyword: 'allOf', place, enough: all }));
    }
    if (pattern !== undefined || format !== undefined) this.#spend(value, pattern);
    if (oneOf !== undefined) {
      fitting.push(...this.#checkEach(value, schema, { keyword: 'oneOf', place, enough: one }));
    }
    for (const evaluated of fitting) place.evaluated.join(evaluated);
  }

  /** Counts what the pattern and the format of a subschema may cost, before they are tried. */
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

  /** Checks all alternatives of a keyword; gives what those looked at that the value fits. */
  #checkEach(value: unknown, schema: Schema, { keyword, place, enough }: Alternatives): Evaluated[] {
    const schemas = schema[keyword];
    if (!Array.isArray(schemas)) return [];
    const fitting: Evaluated[] = [];
    const before = this.failures.length;
    this.#wrap(keyword, place, () => {
      for (const [index, alternative] of schemas.entries()) {
        const evaluated = new Evaluated(place.evaluated);
        const at = below(place, `${keyword}/${index}`, evaluated);
        if (this.check(value, asSchema(alternative), at)) fitting.push(evaluated);
      }
      return enough(fitting.length, schemas.length);
    });
    if (enough(fitting.length, schemas.length)) this.failures.length = before;
    return fitting;
  }

  #checkMembers(value: Readonly<Record<string, unknown>>, schema: Schema, place: Place): void {
    const { required, propertyNames } = schema;
    const names = Object.keys(value);
    const lacks = (wanted: unknown) => typeof wanted === 'string' && !Object.hasOwn(value, wanted);
    for (const name of listOf(required)) if (lacks(name)) this.#fail('required', place);
    this.#checkCounts(names.length, schema, { place, keywords: MEMBER_COUNTS });
    for (const name of propertyNames === undefined ? [] : names) {
      const at = memberOf(place, name, 'propertyNames');
      this.#wrap('propertyNames', place, () => this.check(name, asSchema(propertyNames), at));
    }
    for (const keyword of DEPENDENCIES) {
      for (const [name, rule] of entriesOf(schema[keyword])) {
        if (!Object.hasOwn(value, name)) continue;
        if (Array.isArray(rule)) {
          for (const wanted of rule) if (lacks(wanted)) this.#fail(keyword, place);
          continue;
        }
        const evaluated = keyword === 'dependencies' ? new Evaluated() : place.evaluated;
        const at = below(place, childPointer(keyword, name), evaluated);
        this.#wrap(keyword, place, () => this.check(value, asSchema(rule), at));
      }
    }

    const rest =
      schema['additionalProperties'] === undefined ? 'unevaluatedProperties' : 'additionalProperties';
    const looked = schema[rest] === undefined ? undefined : new Set<string>();
    const checkMember = (name: string, keyword: string, rule: { schema: unknown; location: string }) => {
      const at = memberOf(place, name, rule.location);
      const fits = this.#wrap(keyword, place, () => this.check(value[name], asSchema(rule.schema), at));
      looked?.add(name);
      if (fits) place.evaluated.add(name);
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
      rest === 'additionalProperties' ? !looked.has(name) : !place.evaluated.has(name);
    for (const name of names) {
      if (isRest(name)) checkMember(name, rest, { schema: schema[rest], location: rest });
    }
  }

  #checkItems(value: readonly unknown[], schema: Schema, place: Place): void {
    this.#checkCounts(value.length, schema, { place, keywords: ['maxItems', 'minItems'] });
    const { items, additionalItems, unevaluatedItems } = schema;
    let next = 0;
    /** Checks the items from the next one on, with one schema or one each; false when that is enough. */
    const checkFrom = (keyword: string, rule: unknown) => {
      const end = Array.isArray(rule) ? Math.min(rule.length, value.length) : value.length;
      for (; next < end; next += 1) {
        const name = String(next);
        if (keyword === 'unevaluatedItems' && place.evaluated.has(name)) continue;
        const own: unknown = Array.isArray(rule) ? rule[next] : rule;
        const location = Array.isArray(rule) ? `${keyword}/${next}` : keyword;
        const at = { ...below(place, location, new Evaluated()), pointer: `${place.pointer}/${name}` };
        place.evaluated.add(name);
        const fits = this.#wrap(keyword, place, () => this.check(value[next], asSchema(own), at));
        if (!fits && this.#options.stopEarly) return false;
      }
      return true;
    };
    let goOn = schema['prefixItems'] === undefined || checkFrom('prefixItems', schema['prefixItems']);
    if (items !== undefined) {
      goOn = checkFrom('items', items) && goOn;
      if (goOn && additionalItems !== undefined) goOn = checkFrom('additionalItems', additionalItems);
    }
    if (schema['contains'] !== undefined) this.#checkContains(value, schema, place);
    if (goOn && unevaluatedItems !== undefined) checkFrom('unevaluatedItems', unevaluatedItems);
    const isRepeated = (item: unknown, index: number) =>
      value.some((other, at) => at < index && sameJson(item, other));
    if (schema['uniqueItems'] === true && value.some(isRepeated)) this.#fail('uniqueItems', place);
  }

  #checkContains(value: readonly unknown[], schema: Schema, place: Place): void {
    const { contains, minContains: least, maxContains: most } = schema;
    const before = this.failures.length;
    let count = 0;
    if (typeof least === 'number' && value.length < least) {
      this.#fail('minContains', place);
      return;
    }
    for (const [index, item] of value.entries()) {
      const at = { ...below(place, 'contains', new Evaluated()), pointer: `${place.pointer}/${index}` };
      if (!this.check(item, asSchema(contains), at)) continue;
      count += 1;
      place.evaluated.add(String(index));
    }
    if (typeof least !== 'number' || count >= least) this.failures.length = before;
    if (typeof least !== 'number' && count === 0) this.#fail('contains', place);
    else if (typeof least === 'number' && count < least) this.#fail('minContains', place);
    else if (typeof most === 'number' && count > most) this.#fail('maxContains', place);
  }

  #checkNumber(value: number, schema: Schema, place: Place): void {
    const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: under, multipleOf } = schema;
    if (typeof minimum === 'number' && (value < minimum || (above === true && value === minimum))) {
      this.#fail('minimum', place);
    }
    if (typeof maximum === 'number' && (value > maximum || (under === true && value === maximum))) {
      this.#fail('maximum', place);
    }
    if (typeof above === 'number' && value <= above) this.#fail('exclusiveMinimum', place);
    if (typeof under === 'number' && value >= under) this.#fail('exclusiveMaximum', place);
    if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf)) this.#fail('multipleOf', place);
  }

  #checkText(value: string, schema: Schema, place: Place): void {
    const { pattern, format } = schema;
    if (schema['minLength'] !== undefined || schema['maxLength'] !== undefined) {
      this.#checkCounts(lengthOf(value), schema, { place, keywords: ['minLength', 'maxLength'] });
    }
    if (typeof pattern === 'string' && !this.#matches(pattern, value)) this.#fail('pattern', place);
    if (typeof format === 'string' && !fitsFormat(format, value)) this.#fail('format', place);
  }

  #checkCounts(count: number, schema: Schema, { place, keywords }: Bounds): void {
    for (const keyword of keywords) {
      const bound = schema[keyword];
      if (typeof bound !== 'number') continue;
      if (keyword.startsWith('min') ? count < bound : count > bound) this.#fail(keyword, place);
    }
  }
}

/** The longest text that a pattern or a format is tried on. */
const MAX_TEXT = 100_000;
/** Instructions of a pattern, for each character, that take about as long as one subschema. */
const INSTRUCTIONS_PER_STEP = 1000;

const MEMBER_COUNTS = ['minProperties', 'maxProperties'];
const DEPENDENCIES = ['dependentRequired', 'dependentSchemas', 'dependencies'];

const some = (count: number) => count > 0;
const all = (count: number, total: number) => count === total;
const one = (count: number) => count === 1;

interface Alternatives {
  readonly keyword: string;
  readonly place: Place;
  /** Whether the value fits as many of the alternatives as the keyword asks for. */
  readonly enough: (count: number, total: number) => boolean;
}

interface Bounds {
  readonly place: Place;
  readonly keywords: readonly string[];
}

/** What stands where a schema belongs is one: the preparation has seen to it. */
function asSchema(value: unknown): PreparedSchema {
  return isRecord(value) ? value : value === true;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isRecord(value) ? Object.entries(value) : [];
}
