/** Focuses the next interrupt that can be answered, or else the message input. */
export function focusNext(page: HTMLElement): void {
  const active = document.activeElement;
  // Do not take the focus from a person who is using something else.
  const isFree =
    active === null || active === document.body || active.closest('holdpoint-interrupt, .composer') !== null;
  if (!isFree) return;
  const next = page.querySelector<HTMLElement>('.hp-card:is([data-state="open"], [data-state="expired"])');
  if (next === null) page.querySelector<HTMLElement>('holdpoint-composer textarea')?.focus();
  else next.focus();
}

/** Scrolls to the end of the conversation, or to the top of a card that is taller than the screen. */
export function scrollToNews(page: HTMLElement, isInterrupt: boolean): void {
  const scroll = page.querySelector<HTMLElement>('.chat-scroll');
  if (scroll === null) return;
  scroll.scrollTop = scroll.scrollHeight;
  if (isInterrupt) page.querySelector('.hp-card')?.scrollIntoView({ block: 'nearest' });
}
