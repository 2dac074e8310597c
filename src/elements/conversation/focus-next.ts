import { HoldpointInterruptElement } from '../interrupt/interrupt-element.ts';

/** Focuses the next interrupt that can be answered, or else the message input. Returns the input if it got the focus. */
export function focusNext(page: HTMLElement): HTMLTextAreaElement | undefined {
  const active = document.activeElement;
  // Do not take the focus from a person who is using something else.
  const isFree =
    active === null ||
    active === document.body ||
    // It has the focus of a card that was removed.
    active.matches('.hp-chat-scroll') ||
    active.closest('holdpoint-interrupt, .hp-composer') !== null;
  if (!isFree) return undefined;
  const next = page.querySelector<HTMLElement>('.hp-card:is([data-state="open"], [data-state="expired"])');
  if (next !== null) {
    next.focus();
    return undefined;
  }
  const input = page.querySelector<HTMLTextAreaElement>('holdpoint-composer textarea');
  input?.focus();
  return input ?? undefined;
}

/** Moves the focus from an empty message input to the next interrupt that can be answered. */
export function focusNew(page: HTMLElement, input: HTMLTextAreaElement): void {
  if (document.activeElement !== input || input.value !== '') return;
  const card = page.querySelector('.hp-card[data-state="open"]')?.closest('holdpoint-interrupt');
  if (card instanceof HoldpointInterruptElement) card.focusUnread();
}

/** Space in pixels above a card that is scrolled to. */
const ABOVE = 12;

/** Scrolls to the end of the conversation; a new card that is taller than the screen is shown from its top. */
export function scrollToNews(page: HTMLElement, isInterrupt: boolean): void {
  const scroll = page.querySelector<HTMLElement>('.hp-chat-scroll');
  if (scroll === null) return;
  scroll.scrollTop = scroll.scrollHeight;
  const card = isInterrupt ? page.querySelector('.hp-card[data-state="open"]') : null;
  if (card === null) return;
  const above = scroll.getBoundingClientRect().top + ABOVE - card.getBoundingClientRect().top;
  if (above > 0) scroll.scrollTop -= above;
}
