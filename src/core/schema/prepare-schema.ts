import type { Issue } from '../holdpoint-error.ts';
import { childPointer } from '../json-pointer.ts';
import { isRecord, kindOf } from '../json-value.ts';
import {
  hasShape,
  IN_PLACE_KEYWORDS,
  KEYWORD_SHAPES,
  SHAPE_WORDS,
  UNSUPPORTED_KEYWORDS,
} from './schema-keywords.ts';
import { findEndlessReferences, findReference } from './find-reference.ts';
import { isFormat } from './value-checks.ts';
import type { KeywordShape } from './schema-keywords.ts';

/** A subschema of the copy: without a prototype, and only with keywords that affect validation. */
export type PreparedSchema = boolean | { [keyword: string]: unknown };

/** A compiled pattern; `refused` completes the sentence "expected a pattern without …". */
export type CompiledPattern =
  | {
      readonly test: (text: string) => boolean;
      /** Number of instructions; the time of a match grows with this and with the length of the text. */
      readonly size: number;
    }
  | { readonly refused: string };

/** A copy of a schema that is safe to evaluate, with the limits that its use must check. */
export interface PreparedRoot {
  readonly schema: PreparedSchema;
  readonly draft: Draft;
  readonly patterns: ReadonlyMap<string, CompiledPattern>;
  readonly issues: readonly Issue[];
  readonly hasNamePatterns: boolean;
  readonly hasUniqueItems: boolean;
}

export interface PrepareOptions {
  /** Draft 4 writes exclusive bounds as booleans, later drafts as numbers. */
  readonly draft: Draft;
  readonly compilePattern: (pattern: string) => CompiledPattern;
}

export type Draft = '4' | '7' | '2019-09' | '2020-12';

/**
 * Copies a schema: checks the shape of each keyword, compiles its patterns, drops annotations, unknown keywords and
 * formats, and collects the targets of `$ref` under `$defs`. The copy has no prototypes.
 */
export function prepareSchema(root: unknown, options: PrepareOptions): PreparedRoot {
  const preparation = new Preparation(root, options);
  const schema = preparation.prepareAll();
  return {
    schema,
    draft: options.draft,
    patterns: preparation.patterns,
    issues: [...new Map(preparation.issues.map((issue) => [JSON.stringify(issue), issue])).values()],
    hasNamePatterns: preparation.hasNamePatterns,
    hasUniqueItems: preparation.hasUniqueItems,
  };
}

/** Total characters of all different patterns of a schema: compiling takes time, too. */
const MAX_PATTERN_LENGTH = 20_000;

const HALF_CHARACTER = /\p{Surrogate}/u;

class Preparation {
  readonly issues: Issue[] = [];
  readonly patterns = new Map<string, CompiledPattern>();
  hasNamePatterns = false;
  hasUniqueItems = false;
  readonly #root: unknown;
  readonly #options: PrepareOptions;
  /** The targets of references by pointer, in order of discovery. */
  readonly #targets = new Map<string, { readonly name: string; readonly value: unknown }>();
  /** For each subschema in progress or done: the subschemas that check the same value. */
  readonly #inPlace = new Map<string, Set<string>>();
  #hasReferences = false;

  #patternLength = 0;

  constructor(root: unknown, options: PrepareOptions) {
    this.#root = root;
    this.#options = options;
  }

  prepareAll(): PreparedSchema {
    const schema = this.#prepare(this.#root, '');
    if (typeof schema === 'boolean') return schema;
    const definitions = emptyRecord();
    // A target can contain references, which join the map during the loop.
    for (const [pointer, { name, value }] of this.#targets) definitions[name] = this.#prepare(value, pointer);
    if (this.#targets.size > 0) schema['$defs'] = definitions;
    if (!this.#hasReferences) return schema;
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
    const copy = emptyRecord();
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
    return copy;
  }

  #refer(reference: unknown, place: { readonly pointer: string; readonly at: string }): string {
    this.#hasReferences = true;
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
        if (typeof value === 'string') this.#compilePattern(value, at);
        else this.#fail(at, `expected a pattern as text, got ${kindOf(value)}`);
        copy[keyword] = value;
        return;
      case 'format':
        if (!isFormat(value)) return;
        // The native expression of the validator for `url` takes exponential time; `uri` is checked in linear time.
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
      if (HALF_CHARACTER.test(name)) this.#fail('', 'expected names that can be addressed: URI malformed');
      if (member.shape === 'pattern map') {
        this.#compilePattern(name, at);
        this.hasNamePatterns = true;
      }
      const isNames = member.shape === 'dependencies' && Array.isArray(value);
      if (isNames && !hasShape('names', value)) this.#fail(at, `expected ${SHAPE_WORDS.names}`);
      copy[name] = isNames ? value : this.#child(member, value, at);
    }
    return copy;
  }

  #compilePattern(pattern: string, at: string): void {
    const known = this.patterns.get(pattern);
    if (known === undefined) this.#patternLength += pattern.length;
    if (this.#patternLength > MAX_PATTERN_LENGTH) {
      this.#fail(at, `expected at most ${MAX_PATTERN_LENGTH} characters of patterns in all`);
      return;
    }
    const compiled = known ?? this.#options.compilePattern(pattern);
    this.patterns.set(pattern, compiled);
    if ('refused' in compiled) this.#fail(at, `expected a pattern without ${compiled.refused}`);
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
  /** The pointer of the subschema and of its keyword. */
  readonly pointer: string;
  readonly at: string;
}

function emptyRecord(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
