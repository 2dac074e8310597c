/** The action of each key that decides or edits. */
export const ACTION_KEYS: ReadonlyMap<string, string> = new Map([
  ['a', 'approve'],
  ['r', 'reject'],
  ['e', 'edit'],
]);

/** True when the focused element takes letters as input. */
export function takesLetters(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select') !== null)
  );
}

/** True for a button that does nothing now. */
export function isInactive(button: HTMLButtonElement): boolean {
  return button.disabled || button.getAttribute('aria-disabled') === 'true';
}

/**
 * The keys of a card: Ctrl+Enter presses its primary button, also from its inputs; `a`, `r` and `e` approve, reject
 * and edit, outside of inputs. Escape has no action.
 */
export function pressByKey(card: HTMLElement, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.repeat) return;
  const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
  const isLetter =
    !event.ctrlKey && !event.metaKey && !event.altKey && !takesLetters(event.target) && !isInWord(event);
  const action = isLetter ? ACTION_KEYS.get(event.key) : undefined;
  if (!isSend && action === undefined) return;
  const selector = isSend ? '[data-primary]' : `[data-action="${action}"]`;
  const button = card.querySelector<HTMLButtonElement>(selector);
  if (button === null || isInactive(button)) return;
  event.preventDefault();
  button.click();
}

/** The keys of the pages. Space presses the control that has the focus. */
const COMMANDS = new Set([...ACTION_KEYS.keys(), 'j', 'k', 'u', 'x', '/', '?', ' ']);
/** Milliseconds after a character that is no command, in which further letters belong to the same text. */
const WORD_MS = 1500;
let typedAt = -Infinity;
let latest: { readonly event: KeyboardEvent; readonly isInWord: boolean } | undefined;

/**
 * Whether a key follows a character that is no command: a person types words, and no field has the focus. Such letters decide
 * nothing. A card and its page may both ask about an event.
 */
export function isInWord(event: KeyboardEvent): boolean {
  if (latest?.event === event) return latest.isInWord;
  const now = performance.now();
  latest = { event, isInWord: now - typedAt < WORD_MS };
  if (event.key.length === 1 && (latest.isInWord || !COMMANDS.has(event.key))) typedAt = now;
  return latest.isInWord;
}
