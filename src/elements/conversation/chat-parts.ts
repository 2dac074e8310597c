import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../base/icon.ts';
import { translate } from '../base/strings.ts';
import { visibleText } from '../base/visible-text.ts';
import { errorSentence } from '../interrupt/error-sentence.ts';
import type { Conversation } from './conversation.ts';

/** Suggested messages as buttons. */
export function suggestionButtons(
  suggestions: readonly string[],
  say: (text: string) => void,
): TemplateResult | typeof nothing {
  if (suggestions.length === 0) return nothing;
  return html`<div class="hp-chat-suggestions" role="group" aria-label=${translate('Try')}>
    ${suggestions.map(
      (text) =>
        html`<button type="button" class="hp-button hp-small" @click=${() => say(text)}>
          ${visibleText(text)}
        </button>`,
    )}
  </div>`;
}

/** The error of the newest request and a retry button; errors of an answer are on its card. */
export function troubleNotice(conversation: Conversation, goOn: () => void): TemplateResult | typeof nothing {
  const { status, trouble, isBusy, error, cards } = conversation.getSnapshot();
  const shown = trouble ?? (status === 'failed' ? error : undefined);
  const isTold = cards.some((card) => card.status.state === 'failed' || card.status.state === 'lost');
  if (shown === undefined || isBusy || isTold) return nothing;
  return html`<div class="hp-notice hp-bad" role="alert">
    ${icon('alert')}<span>${errorSentence(shown, { hasInput: true })}</span>
    <button type="button" class="hp-button hp-small" @click=${goOn}>
      ${icon('retry')}${translate('Try again')}
    </button>
  </div>`;
}

/** A button that generates a new answer to the last message; where calls were made, it first names them and asks. */
export function regenerateButton(options: {
  /** Names of the calls that were made since the last message. */
  readonly made: readonly string[];
  readonly isAsking: boolean;
  readonly ask: (isAsking: boolean) => void;
  readonly regenerate: () => void;
}): TemplateResult {
  const { made, ask, regenerate } = options;
  if (!options.isAsking) {
    return html`<p class="hp-chat-again">
      <button
        type="button"
        class="hp-button hp-quiet hp-small"
        data-action="again"
        @click=${() => (made.length === 0 ? regenerate() : ask(true))}
      >
        ${icon('retry')}${translate('Answer again')}
      </button>
    </p>`;
  }
  return html`<div class="hp-notice hp-bad hp-chat-again-notice" role="alert">
    ${icon('alert')}
    <div>
      <p><strong>${translate('This answer has already made these calls:')}</strong></p>
      <ul>
        ${made.map((name) => html`<li>${visibleText(name)}</li>`)}
      </ul>
      <p>${translate('Answering again does not undo them, and can make them a second time.')}</p>
    </div>
    <button type="button" class="hp-button hp-danger hp-small" data-action="again-yes" @click=${regenerate}>
      ${translate('Answer again anyway')}
    </button>
    <button type="button" class="hp-button hp-small" data-action="again-no" @click=${() => ask(false)}>
      ${translate('Keep this answer')}
    </button>
  </div>`;
}
