/** Walks over the code points of a pattern. */
export class PatternReader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = Array.from(pattern);
  }

  get done(): boolean {
    return this.#at >= this.#characters.length;
  }

  /** The character `ahead` of the next one; empty past the end. */
  peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? '';
  }

  /** Takes the next character; empty at the end. */
  take(): string {
    const character = this.peek();
    this.#at += 1;
    return character;
  }

  /** Takes the text if it comes next, and says whether it did. */
  takeIf(text: string): boolean {
    const wanted = Array.from(text);
    if (!wanted.every((character, index) => this.peek(index) === character)) return false;
    this.#at += wanted.length;
    return true;
  }

  /** Takes characters as long as they match, at most `limit` of them. */
  takeWhile(expression: RegExp, limit = Infinity): string {
    let taken = '';
    for (let count = 0; count < limit && !this.done && expression.test(this.peek()); count += 1) {
      taken += this.take();
    }
    return taken;
  }
}
