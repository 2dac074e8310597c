import { takesLetters } from '../src/elements/interrupt/press-by-key.ts';
import type { TemplateResult } from 'lit';
import { html } from 'lit';
import type { Text } from '../src/elements/index.ts';
import { translate } from '../src/elements/index.ts';

const KEYS: readonly (readonly [keys: string, what: Text])[] = [
  ['j / k', 'Inbox: next and previous request'],
  ['a', 'Approve the request'],
  ['r', 'Reject it: opens a field for the reason'],
  ['e', 'Edit its arguments'],
  ['u', 'Inbox: undo the last decision, for 5 seconds'],
  ['x', 'Inbox: select the request'],
  ['/', 'Inbox: search'],
  ['Enter', 'Inbox: go to the request'],
  ['Ctrl + Enter', 'Send the focused card, also from its inputs'],
  ['Enter', 'Chat: send the message; Shift + Enter starts a new line'],
  ['?', 'Show these keys'],
];

/** The list of keys. Escape closes it and has no other action. */
export function helpDialog(): TemplateResult {
  return html`<dialog id="help" class="app-help" aria-labelledby="help-title">
    <form method="dialog">
      <h2 id="help-title" tabindex="-1" autofocus>${translate('Keys')}</h2>
      <dl>
        ${KEYS.map(
          ([keys, what]) =>
            html`<div>
              <dt><kbd>${keys === 'Ctrl + Enter' ? translate(keys) : keys}</kbd></dt>
              <dd>${translate(what)}</dd>
            </div>`,
        )}
      </dl>
      <p class="hp-muted">
        ${translate('With requests selected, a and r decide those, after a list.')}
        ${translate('Letters do nothing while you type.')}
      </p>
      <p class="hp-muted">
        ${translate('These ask for a confirmation: approving a call that cannot be undone, “Answer again” after a call with an effect, deleting or erasing a conversation. “Withdraw” and “Cancel request” do not ask; in the inbox, “Cancel request” can be undone for 5 seconds.')}
      </p>
      <p class="hp-muted">
        ${translate('Reject answers no: the agent hears your reason and goes on. “Cancel request” ends the request: the agent gets no answer.')}
      </p>
      <button class="hp-button hp-primary">${translate('Close')}</button>
    </form>
  </dialog>`;
}

export function isHelpKey(event: KeyboardEvent): boolean {
  return event.key === '?' && !isTyping(event) && !event.ctrlKey && !event.metaKey;
}

/** True when the focused element takes letters; a box and a radio button take none. */
export function isTyping({ target }: Event): boolean {
  const isBox = target instanceof HTMLInputElement && ['checkbox', 'radio'].includes(target.type);
  return !isBox && takesLetters(target);
}
