import { childPointer } from '../json-pointer.ts';

/** The position of a check: pointer in the value, location in the schema. */
export interface Position {
  readonly pointer: string;
  readonly location: string;
  readonly evaluated: Evaluated;
}

/** The same value, under a keyword of its schema. */
export function below(position: Position, keyword: string, evaluated = position.evaluated): Position {
  return { pointer: position.pointer, location: `${position.location}/${keyword}`, evaluated };
}

/** A member of the value, under the keyword that has its schema. */
export function memberOf({ pointer, location }: Position, name: string, keyword: string): Position {
  return {
    pointer: childPointer(pointer, name),
    location: `${location}/${keyword}`,
    evaluated: new Evaluated(),
  };
}

/** The members or items that keywords have evaluated, for the `unevaluated…` keywords. */
export class Evaluated {
  /** Created on first use: most schemas never ask. */
  #names: Set<string> | undefined;
  readonly #before: Evaluated | undefined;

  constructor(before?: Evaluated) {
    this.#before = before;
  }

  has(name: string): boolean {
    return this.#names?.has(name) === true || this.#before?.has(name) === true;
  }

  add(name: string): void {
    this.#names ??= new Set();
    this.#names.add(name);
  }

  join(other: Evaluated): void {
    for (const name of other.#names ?? []) this.add(name);
  }
}
