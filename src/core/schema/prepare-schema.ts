import type { Issue } from '../holdpoint-error.ts';
import { childPointer } from '../json-pointer.ts';
import { isRecord, kindOf } from '../json-value.ts';
import { findEndlessReferences } from './find-endless-references.ts';
import { findReference } from './find-reference.ts';
import { hasShape, SHAPE_WORDS } from './keyword-shape.ts';
import type { PatternVerdict } from './pattern/index.ts';
import { judgePattern } from './pattern/index.ts';
import type { KeywordShape } from './schema-keywords.ts';
import { FORMATS, IN_PLACE_KEYWORDS, KEYWORD_SHAPES, UNSUPPORTED_KEYWORDS } from './schema-keywords.ts';

/** A subschema of the copy: it has no prototype and only the keywords that decide something. */
export type PreparedSchema = boolean | { [keyword: string]: unknown };

/** A copy of a schema that is safe to hand to the validator, with what its use must watch for. */
export interface PreparedRoot {
  readonly schema: PreparedSchema;
  readonly issues: readonly Issue[];
  readonly hasNamePatterns: boolean;
  readonly hasUniqueItems: boolean;
}

export interface PrepareOptions {
  /** Draft 4 writes exclusive bounds as booleans, the later ones as numbers. */
  readonly draft: '4' | '7' | '2019-09' | '2020-12';
  /** Called each time the validator begins with a subschema, with what that costs; may throw to stop it. */
  readonly onVisit: (cost: number) => void;
  /** Called in place of matching a text that is longer than the limit; must throw. */
  readonly onLongText: (limit: number) => void;
}

/**
 * Copies a schema: checks the shape of each keyword, judges its patterns, leaves out notes, unknown
 * keywords and formats, and gathers the targets of `$ref` under `$defs`. The copy matters: the
 * validator writes hidden members onto the schema it is given, and reads what prototypes hold.
 */
export function prepareSchema(root: unknown, options: PrepareOptions): PreparedRoot {
  const preparation = new Preparation(root, options);
  const schema = preparation.prepareAll();
  return {
    schema,
    issues: [...new Map(preparation.issues.map((issue) => [JSON.stringify(issue), issue])).values()],
    hasNamePatterns: preparation.hasNamePatterns,
    hasUniqueItems: preparation.hasUniqueItems,
  };
}

/** Of all different patterns of a schema: judging them takes time, too. */
const MAX_PATTERN_LENGTH = 20_000;
/** The longest text that a pattern is tried on, and the steps that one try counts for. */
const TEXT_BOUNDS = {
  linear: { maxText: 100_000, steps: 1 },
  quadratic: { maxText: 2000, steps: 1000 },
} as const;

class Preparation {
  readonly issues: Issue[] = [];
  hasNamePatterns = false;
  hasUniqueItems = false;
  readonly #root: unknown;
  readonly #options: PrepareOptions;
  /** The targets of references by their pointer, in the order they were met. */
  readonly #targets = new Map<string, { readonly name: string; readonly value: unknown }>();
  /** For each subschema under way or done: where it is, and which ones look at the same value. */
  readonly #inPlace = new Map<string, Set<string>>();

  /** What each copied subschema has to check besides its own `allOf`. */
  readonly #guards = new Map<object, PreparedSchema[]>();
  readonly #verdicts = new Map<string, PatternVerdict>();
  #patternLength = 0;

  constructor(root: unknown, options: PrepareOptions) {
    this.#root = root;
    this.#options = options;
  }

  prepareAll(): PreparedSchema {
    const schema = this.#prepare(this.#root, '');
    if (typeof schema === 'boolean') return schema;
    const definitions = emptyRecord();
    // A target can hold references of its own, which then join the map during the loop.
    for (const [pointer, { name, value }] of this.#targets) definitions[name] = this.#prepare(value, pointer);
    if (this.#targets.size > 0) schema['$defs'] = definitions;
    for (const pointer of findEndlessReferences(this.#inPlace)) {
      this.#fail(pointer, 'expected references that do not lead back here at once');
    }
    return schema;
  }

  #fail(pointer: string, message: string): void {
    this.issues.push({ pointer, message });
  }

  #prepare(schema: unknown, pointer: string): PreparedSchema {
    if (typeof schema === 'boolean') return schema;
    if (!isRecord(schema)) {
      this.#fail(pointer, `expected a schema, got ${kindOf(schema)}`);
      return false;
    }
    const copy = watchedRecord(() => this.#options.onVisit(1));
    for (const [keyword, value] of Object.entries(schema)) {
      const at = childPointer(pointer, keyword);
      const shape = KEYWORD_SHAPES.get(keyword);
      if (value === undefined) continue;
      if (keyword === '$ref') copy['$ref'] = this.#refer(value, { pointer, at });
      else if (shape !== undefined) this.#copyKeyword(copy, { keyword, shape, value, pointer, at });
      else if (UNSUPPORTED_KEYWORDS.has(keyword))
        this.#fail(at, `expected no ${keyword}: it is not supported`);
      else if (keyword === '$id' && pointer !== '' && !(typeof value === 'string' && value.startsWith('#'))) {
        this.#fail(at, 'expected no $id below the root: it would change what references mean');
      }
    }
    const guards = this.#guards.get(copy);
    if (guards !== undefined)
      copy['allOf'] = [...(Array.isArray(copy['allOf']) ? copy['allOf'] : []), ...guards];
    return copy;
  }

  #refer(reference: unknown, place: { readonly pointer: string; readonly at: string }): string {
    const found = findReference(this.#root, reference);
    if (typeof found === 'string') {
      this.#fail(place.at, found);
      return '#';
    }
    this.#link(place.pointer, found.pointer);
    if (found.pointer === '') return '#';
    const known = this.#targets.get(found.pointer);
    const name = known?.name ?? String(this.#targets.size);
    if (known === undefined) this.#targets.set(found.pointer, { name, value: found.value });
    return `#/$defs/${name}`;
  }

  #copyKeyword(copy: Record<string, unknown>, member: Member): void {
    const { keyword, shape, value, at } = member;
    switch (shape) {
      case 'schema':
        copy[keyword] = this.#child(member, value, at);
        return;
      case 'items':
        copy[keyword] = Array.isArray(value) ? this.#list(member, value) : this.#child(member, value, at);
        return;
      case 'schemas':
        if (Array.isArray(value)) copy[keyword] = this.#list(member, value);
        else this.#fail(at, `expected an array of schemas, got ${kindOf(value)}`);
        return;
      case 'schema map':
      case 'pattern map':
      case 'dependencies':
        if (isRecord(value)) copy[keyword] = this.#map(member, value);
        else this.#fail(at, `expected an object of schemas, got ${kindOf(value)}`);
        return;
      case 'pattern':
        if (typeof value === 'string') this.#addGuard(copy, this.#judge(value, at));
        else this.#fail(at, `expected a pattern as text, got ${kindOf(value)}`);
        copy[keyword] = value;
        return;
      case 'format':
        if (!FORMATS.has(value)) return;
        this.#addGuard(copy, 'linear');
        // The validator's own expression for `url` takes exponential time; `uri` is checked in linear time.
        copy[keyword] = value === 'url' ? 'uri' : value;
        return;
      case 'exclusive bound': {
        const bound = this.#options.draft === '4' ? 'boolean' : 'number';
        if (!hasShape(bound, value)) this.#fail(at, `expected ${SHAPE_WORDS[bound]}`);
        copy[keyword] = value;
        return;
      }
      case 'types':
      case 'names':
      case 'name map':
      case 'count':
      case 'positive number':
      case 'number':
      case 'boolean':
      case 'list':
      case 'any':
        if (keyword === 'uniqueItems' && value === true) this.hasUniqueItems = true;
        if (!hasShape(shape, value)) this.#fail(at, `expected ${SHAPE_WORDS[shape]}`);
        copy[keyword] = value;
    }
  }

  #child(member: Member, value: unknown, at: string): PreparedSchema {
    if (IN_PLACE_KEYWORDS.has(member.keyword)) this.#link(member.pointer, at);
    return this.#prepare(value, at);
  }

  #list(member: Member, values: readonly unknown[]): PreparedSchema[] {
    return values.map((value, index) => this.#child(member, value, childPointer(member.at, index)));
  }

  #map(member: Member, values: Record<string, unknown>): Record<string, unknown> {
    const copy = emptyRecord();
    for (const [name, value] of Object.entries(values)) {
      const at = childPointer(member.at, name);
      if (member.shape === 'pattern map') {
        this.#judge(name, at);
        this.hasNamePatterns = true;
      }
      const isNames = member.shape === 'dependencies' && Array.isArray(value);
      if (isNames && !hasShape('names', value)) this.#fail(at, `expected ${SHAPE_WORDS.names}`);
      copy[name] = isNames ? value : this.#child(member, value, at);
    }
    return copy;
  }

  #judge(pattern: string, at: string): PatternVerdict['cost'] {
    const known = this.#verdicts.get(pattern);
    if (known === undefined) this.#patternLength += pattern.length;
    if (this.#patternLength > MAX_PATTERN_LENGTH) {
      this.#fail(at, `expected at most ${MAX_PATTERN_LENGTH} characters of patterns in all`);
      return 'refused';
    }
    const verdict = known ?? judgePattern(pattern);
    this.#verdicts.set(pattern, verdict);
    if (verdict.cost === 'refused') this.#fail(at, `expected a pattern without ${verdict.reason}`);
    return verdict.cost;
  }

  /**
   * Stops the validation at a text too long to be matched. It goes into `allOf`, which the validator
   * looks at before it matches any text.
   */
  #addGuard(copy: Record<string, unknown>, cost: PatternVerdict['cost']): void {
    const { onVisit, onLongText } = this.#options;
    const { maxText, steps } = TEXT_BOUNDS[cost === 'linear' ? 'linear' : 'quadratic'];
    const guard = emptyRecord();
    guard['if'] = Object.assign(
      watchedRecord(() => onVisit(steps)),
      { maxLength: maxText },
    );
    guard['else'] = watchedRecord(() => onLongText(maxText));
    this.#guards.set(copy, [...(this.#guards.get(copy) ?? []), guard]);
  }

  #link(from: string, to: string): void {
    const links = this.#inPlace.get(from);
    if (links === undefined) this.#inPlace.set(from, new Set([to]));
    else links.add(to);
  }
}

interface Member {
  readonly keyword: string;
  readonly shape: KeywordShape;
  readonly value: unknown;
  /** Where the subschema is, and where its keyword. */
  readonly pointer: string;
  readonly at: string;
}

/** The validator reads this member first in every subschema, and finds nothing: a place to watch it. */
function watchedRecord(onRead: () => void): Record<string, unknown> {
  return Object.defineProperty(emptyRecord(), '$recursiveAnchor', { get: onRead });
}

function emptyRecord(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
