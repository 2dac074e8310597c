import type { Issue } from '../holdpoint-error.ts';
import { childPointer } from '../json-pointer.ts';
import { isRecord, kindOf } from '../json-value.ts';

/** A JSON copy of a value, and its sizes that a schema may limit. */
export interface ValueCopy {
  readonly value: unknown;
  readonly issues: readonly Issue[];
  readonly longestName: number;
  readonly longestArray: number;
}

const MAX_DEPTH = 200;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Copies a value into objects without a prototype. Undefined members count as absent, as in canonical JSON; other
 * values that are not JSON become issues.
 */
export function copyValue(value: unknown): ValueCopy {
  const copier = new Copier();
  return { value: copier.copy(value, '', 0), ...copier.measures, issues: copier.issues };
}

class Copier {
  readonly issues: Issue[] = [];
  readonly measures = { longestName: 0, longestArray: 0 };

  copy(value: unknown, pointer: string, depth: number): unknown {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : this.#refuse(pointer, String(value));
      case 'object':
        return value === null ? null : this.#copyContainer(value, pointer, depth);
      default:
        return this.#refuse(pointer, kindOf(value));
    }
  }

  #copyContainer(value: object, pointer: string, depth: number): unknown {
    if (depth >= MAX_DEPTH) return this.#refuse('', `more than ${MAX_DEPTH} levels of nesting`);
    if (Array.isArray(value)) {
      this.measures.longestArray = Math.max(this.measures.longestArray, value.length);
      return Array.from(value, (item, index) => this.copy(item, childPointer(pointer, index), depth + 1));
    }
    if (!isRecord(value) || !isPlain(value)) return this.#refuse(pointer, 'an object of its own class');
    const copy = Object.create(null) as Record<string, unknown>;
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      if (LONE_SURROGATE.test(name)) this.#refuse(pointer, 'a member name with half a character');
      this.measures.longestName = Math.max(this.measures.longestName, name.length);
      copy[name] = this.copy(member, childPointer(pointer, name), depth + 1);
    }
    return copy;
  }

  #refuse(pointer: string, what: string): null {
    this.issues.push({ pointer, message: `expected JSON, got ${what}` });
    return null;
  }
}

/** Compares by shape, because an object from another window has another `Object.prototype`. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
