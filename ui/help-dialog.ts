import type { TemplateResult } from 'lit';
import { html } from 'lit';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['j / k', 'Inbox: next and previous request'],
  ['Enter', 'Inbox: open the request'],
  ['x', 'Inbox: select the request'],
  ['a', 'Approve the focused request'],
  ['r', 'Reject it'],
  ['e', 'Edit its arguments'],
  ['Ctrl + Enter', 'Send the focused card, also from its inputs'],
  ['Enter', 'Chat: send the message; Shift + Enter starts a new line'],
  ['?', 'Show these keys'],
];

/** The list of keys. Escape closes it and has no other action. */
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
      <p class="hp-muted">
        Letters do nothing while you type. Actions that cannot be undone ask for a confirmation.
      </p>
      <button class="hp-button hp-primary" autofocus>Close</button>
    </form>
  </dialog>`;
}

export function isHelpKey(event: KeyboardEvent): boolean {
  const isTyping =
    event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
  return event.key === '?' && !isTyping && !event.ctrlKey && !event.metaKey;
}
