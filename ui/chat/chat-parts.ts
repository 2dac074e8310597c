import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { Conversation } from '../../src/elements/index.ts';
import { errorSentence, icon } from '../../src/elements/index.ts';
import type { AgentInfo } from '../host.ts';

/** Shown for a conversation without messages. */
export function welcome(agent: AgentInfo): TemplateResult {
  return html`<div class="chat-welcome">
    <h2>${agent.name}</h2>
    <p>${agent.description ?? 'Write a message to start.'}</p>
  </div>`;
}

/** Suggested messages as buttons. */
export function suggestionButtons(
  suggestions: readonly string[],
  say: (text: string) => void,
): TemplateResult | typeof nothing {
  if (suggestions.length === 0) return nothing;
  return html`<div class="chat-suggestions" role="group" aria-label="Try">
    ${suggestions.map(
      (text) => html`<button type="button" class="hp-button" @click=${() => say(text)}>${text}</button>`,
    )}
  </div>`;
}

/** The error of the newest request and a retry button; errors of an answer are on its card. */
export function troubleNotice(conversation: Conversation): TemplateResult | typeof nothing {
  const { status, trouble, isBusy, error, cards } = conversation.getSnapshot();
  const shown = trouble ?? (status === 'failed' ? error : undefined);
  const isTold = cards.some((card) => card.status.state === 'failed' || card.status.state === 'lost');
  if (shown === undefined || isBusy || isTold) return nothing;
  return html`<div class="hp-notice hp-bad" role="alert">
    ${icon('alert')}<span>${errorSentence(shown)}</span>
    <button type="button" class="hp-button hp-small" @click=${() => void conversation.goOn()}>
      ${icon('retry')}Try again
    </button>
  </div>`;
}

/** A button that generates a new answer to the last message. */
export function regenerateButton(regenerate: () => void): TemplateResult {
  return html`<p class="chat-again">
    <button type="button" class="hp-button hp-quiet hp-small" @click=${regenerate}>
      ${icon('retry')}Answer again
    </button>
  </p>`;
}
