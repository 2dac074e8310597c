/** The action of each key that decides or edits. A rejection asks for a reason first. */
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

/** A card that can be pressed by its keys. */
interface PressedCard extends HTMLElement {
  /** True in the first moment of a card: a press was meant for what was there before. */
  readonly isUnread: boolean;
  press(action: string): boolean;
}

/** Milliseconds in which a card is not read yet, and cannot be decided by accident: longer than the 500 of a slow double click. */
export const UNREAD_MS = 600;

/**
 * The keys of a card: Ctrl+Enter presses its primary button, also from its inputs; `a`, `r` and `e` approve, reject
 * and edit, outside of inputs; `e` never discards edits. In the reason of a rejection, and in the only line of an answer, Enter sends too. Escape goes back
 * from a rejection and from a second look. Escape never decides.
 */
export function pressByKey(card: PressedCard, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.repeat || event.isComposing) return;
  const { key, target } = event;
  const isRejecting = card.querySelector('[data-rejecting]') !== null;
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
  const isLine = isPlain && ((isRejecting && takesLetters(target)) || isOnlyLine(card, target));
  const isSend = key === 'Enter' && (event.ctrlKey || event.metaKey || isLine);
  const isLetter = isPlain && !takesLetters(target) && !isInWord(event);
  const action = isSend ? 'primary' : key === 'Escape' ? 'back' : isLetter ? ACTION_KEYS.get(key) : undefined;
  if (action === undefined || (card.isUnread && (isSend || action === 'approve'))) return;
  if (card.press(action)) event.preventDefault();
}

/** True for the only field of an answer, if it has one line. An approval needs more than Enter in a field. */
function isOnlyLine(card: HTMLElement, target: EventTarget | null): boolean {
  const button = card.querySelector<HTMLElement>('[data-primary]')?.dataset['action'] ?? '';
  const fields = [...card.querySelectorAll('[data-form] :is(input, select, textarea)')];
  return (
    ['send', 'next'].includes(button) &&
    target instanceof HTMLInputElement &&
    !['checkbox', 'radio', 'file'].includes(target.type) &&
    fields.length === 1 &&
    fields[0] === target
  );
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
