/** Moves the focus to the next question that can be answered; where there is none, to the message. */
export function focusNext(page: HTMLElement): void {
  const active = document.activeElement;
  // Whoever has gone on to something else is not called back.
  const isFree =
    active === null || active === document.body || active.closest('holdpoint-interrupt, .composer') !== null;
  if (!isFree) return;
  const next = page.querySelector<HTMLElement>('.hp-card:is([data-state="open"], [data-state="expired"])');
  if (next === null) page.querySelector<HTMLElement>('holdpoint-composer textarea')?.focus();
  else next.focus();
}

/** Shows what is new: the end of the conversation, or a question from its beginning where it is longer than the screen. */
export function scrollToNews(page: HTMLElement, isQuestion: boolean): void {
  const scroll = page.querySelector<HTMLElement>('.chat-scroll');
  if (scroll === null) return;
  scroll.scrollTop = scroll.scrollHeight;
  if (isQuestion) page.querySelector('.hp-card')?.scrollIntoView({ block: 'nearest' });
}
