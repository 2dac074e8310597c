/** Milliseconds after the last letter before a typed filter applies. */
const TYPING_MS = 200;

/** The filters that a person changes on a page. A chosen one applies at once, typed ones after a pause; none is lost to another. */
export class QueryChanges<Query extends object> {
  readonly #apply: (changes: Partial<Query>) => void;
  #waiting: Partial<Query> = {};
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(apply: (changes: Partial<Query>) => void) {
    this.#apply = apply;
  }

  add(changes: Partial<Query>, how: 'typed' | 'chosen'): void {
    this.#waiting = { ...this.#waiting, ...changes };
    clearTimeout(this.#timer);
    if (how === 'chosen') this.#flush();
    else this.#timer = setTimeout(() => this.#flush(), TYPING_MS);
  }

  /** Drops the changes that have not applied yet. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#waiting = {};
  }

  #flush(): void {
    const changes = this.#waiting;
    this.#waiting = {};
    this.#apply(changes);
  }
}
