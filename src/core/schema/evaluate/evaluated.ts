/** The members or items that some keyword has looked at, for the keywords about the rest. */
export class Evaluated {
  readonly #names = new Set<string>();
  readonly #before: Evaluated | undefined;

  constructor(before?: Evaluated) {
    this.#before = before;
  }

  has(name: string): boolean {
    return this.#names.has(name) || this.#before?.has(name) === true;
  }

  add(name: string): void {
    this.#names.add(name);
  }

  join(other: Evaluated): void {
    for (const name of other.#names) this.#names.add(name);
  }
}
