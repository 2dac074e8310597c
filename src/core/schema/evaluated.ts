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
