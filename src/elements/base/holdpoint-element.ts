import { LitElement } from 'lit';
import type { HoldpointEvents } from '../events.ts';
import { onStrings } from './strings.ts';

/** Milliseconds between two renders of an element that writes how long ago something was. */
const TICK_MS = 10_000;

/**
 * The base class of the elements. It renders into the light DOM, so that the page's styles and labels reach the
 * elements, and it reports with bubbling events.
 */
export abstract class HoldpointElement extends LitElement {
  #leaveStrings: () => void = () => undefined;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leaveStrings = onStrings(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leaveStrings();
  }

  /**
   * Keeps the focus on the page: when an update removes the focused control, the nearest parent that can have the focus
   * gets it.
   */
  protected override performUpdate(): void {
    const focused = this.contains(document.activeElement) ? document.activeElement : null;
    const parents: HTMLElement[] = [];
    for (let one = focused?.parentElement ?? null; one !== null; one = one.parentElement) parents.push(one);
    super.performUpdate();
    if (focused === null || focused.isConnected) return;
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    parents.find((one) => one.isConnected && one.hasAttribute('tabindex'))?.focus({ preventScroll: true });
  }

  /** Renders again from time to time while the element is on the page, so that its "… ago" follow the clock. */
  protected followClock(): void {
    let timer: ReturnType<typeof setInterval> | undefined;
    this.addController({
      hostConnected: () => {
        timer = setInterval(() => this.requestUpdate(), TICK_MS);
      },
      hostDisconnected: () => clearInterval(timer),
    });
  }

  /** Returns false when a listener called `preventDefault`. */
  protected emit<Type extends string>(
    type: Type,
    detail: Type extends keyof HoldpointEvents ? HoldpointEvents[Type] : unknown,
  ): boolean {
    return this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, cancelable: true }));
  }

  /** Moves the focus after the current update has rendered; unfolds the part that it goes to. */
  protected async focusAfterUpdate(selector: string): Promise<void> {
    await this.updateComplete;
    const target = this.querySelector<HTMLElement>(selector);
    const fold = target?.closest('details');
    if (fold !== null && fold !== undefined) fold.open = true;
    target?.focus();
  }
}
