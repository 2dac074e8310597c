/** The members or items that some keyword has looked at, for the keywords about the rest. */
export class Evaluated {
  /** Made when there is something to keep: most are asked nothing. */
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
