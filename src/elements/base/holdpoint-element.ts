import { LitElement } from 'lit';

/**
 * The common part of the elements: they live in the light DOM, so that a page's own styles and its labels reach
 * them, and they tell what happened with events that bubble.
 */
export abstract class HoldpointElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** False when a listener prevented what would follow. */
  protected emit(type: string, detail: unknown): boolean {
    return this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, cancelable: true }));
  }

  /** Moves the focus once what is being rendered is there. */
  protected async focusAfterUpdate(selector: string): Promise<void> {
    await this.updateComplete;
    this.querySelector<HTMLElement>(selector)?.focus();
  }
}
