import { UNREAD_MS } from '../../src/elements/interrupt/press-by-key.ts';

/** The first moment of a request that took the place of another one: a press in it was meant for the request before. */
export class FirstMoment {
  readonly #onEnd: () => void;
  /** When the request was shown, on the clock of events: Infinity until then, undefined when a person has opened it. */
  #shownAt: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `onEnd` is called when the moment is over by time. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** True from {@link expect} or {@link begin} to the end of the moment. */
  get isNow(): boolean {
    return this.#timer !== undefined || this.isExpected;
  }

  /** True after {@link expect}, until {@link begin}. */
  get isExpected(): boolean {
    return this.#shownAt === Infinity;
  }

  /** Another request takes the place, and is not shown yet. */
  expect(): void {
    this.end();
    this.#shownAt = Infinity;
  }

  /** The request is shown now. */
  begin(): void {
    this.end();
    this.#shownAt = performance.now();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onEnd();
    }, UNREAD_MS);
  }

  /** A person has opened the request. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shownAt = undefined;
  }

  /** True for an event that was meant for the request before. */
  includes(event: Event): boolean {
    return event.timeStamp < (this.#shownAt ?? -Infinity) + UNREAD_MS;
  }
}
