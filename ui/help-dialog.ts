import type { TemplateResult } from 'lit';
import { html } from 'lit';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['j / k', 'Inbox: next and previous question'],
  ['Enter', 'Inbox: open the question'],
  ['x', 'Inbox: select the question'],
  ['a', 'Approve the question that has the focus'],
  ['r', 'Reject it'],
  ['e', 'Edit its arguments'],
  ['Ctrl + Enter', 'Send the card that has the focus, from its inputs too'],
  ['Enter', 'Chat: send the message; Shift + Enter begins a new line'],
  ['?', 'Show these keys'],
];

/** The keys of the app. Escape closes this, and decides nothing anywhere. */
export function helpDialog(): TemplateResult {
  return html`<dialog id="help" class="app-help" aria-labelledby="help-title">
    <form method="dialog">
      <h2 id="help-title">Keys</h2>
      <dl>
        ${KEYS.map(
          ([keys, what]) =>
            html`<div>
              <dt><kbd>${keys}</kbd></dt>
              <dd>${what}</dd>
            </div>`,
        )}
      </dl>
      <p class="hp-muted">Letters do nothing while you type. What cannot be undone asks once more.</p>
      <button class="hp-button hp-primary" autofocus>Close</button>
    </form>
  </dialog>`;
}

export function isHelpKey(event: KeyboardEvent): boolean {
  const isTyping =
    event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
  return event.key === '?' && !isTyping && !event.ctrlKey && !event.metaKey;
}
