import type { PropertyDeclarations, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { expiryOf } from '../../protocol/index.ts';
import { announce } from '../base/announce.ts';
import { HoldpointElement } from '../base/holdpoint-element.ts';
import { icon } from '../base/icon.ts';
import { timeLeft, timeLeftHoldsMs } from '../base/words.ts';
import { translate } from '../base/strings.ts';

/** Remaining milliseconds at which the countdown is announced. */
const SAID = [60_000, 300_000];
/** Below this share of the total time, the countdown warns. */
const LATE = 0.2;
/** Milliseconds between two looks at the clock, which may be set. */
const SLOWEST_TICK_MS = 15_000;

/**
 * `<holdpoint-countdown>`: the time until an interrupt expires, by the server's clock. An expiry that is not a time reads
 * "No expiry". Emits `holdpoint-expired` when the time is over.
 */
export class HoldpointCountdownElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    expiresAt: {},
    from: { attribute: false },
    clock: { attribute: false },
  };

  declare expiresAt: string | undefined;
  /** When the interrupt was raised, in milliseconds; by default, when it was first shown. */
  declare from: number | undefined;
  declare clock: () => number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #left = Infinity;
  #shownAt: number | undefined;

  constructor() {
    super();
    this.clock = () => Date.now();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#shownAt ??= this.clock();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  protected override render(): TemplateResult {
    const expiry = expiryOf(this.expiresAt === undefined ? {} : { expiresAt: this.expiresAt });
    clearTimeout(this.#timer);
    if (expiry === undefined) {
      return this.expiresAt === undefined
        ? html`${nothing}`
        : html`<span class="hp-badge">${icon('clock')}${translate('No expiry')}</span>`;
    }
    const left = expiry - this.clock();
    if (left <= 0) return html`<span class="hp-badge hp-late">${icon('clock')}${translate('Expired')}</span>`;
    const isLate = left < (expiry - (this.from ?? this.#shownAt ?? 0)) * LATE;
    this.#timer = setTimeout(() => this.requestUpdate(), Math.min(timeLeftHoldsMs(left), SLOWEST_TICK_MS));
    return html`<span class="hp-badge ${isLate ? 'hp-late' : ''}">
      ${icon('clock')}${translate(isLate ? 'Only {0} left' : 'Expires in {0}', timeLeft(left))}
    </span>`;
  }

  protected override updated(): void {
    const expiry = expiryOf(this.expiresAt === undefined ? {} : { expiresAt: this.expiresAt });
    if (expiry !== undefined) this.#note(expiry - this.clock());
  }

  #note(left: number): void {
    const before = this.#left;
    this.#left = left;
    if (left <= 0 && before > 0) {
      if (before !== Infinity) announce(translate('A request has expired.'));
      this.emit('holdpoint-expired', {});
      return;
    }
    const said = SAID.find((limit) => left <= limit && before > limit);
    if (said !== undefined && before !== Infinity)
      announce(translate('A request expires in {0}.', timeLeft(left)));
  }
}
