import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { icon } from '../base/icon.ts';
import { translate } from '../base/strings.ts';
import type { AnswerDetail } from '../events.ts';
import type { Upload } from '../form/field-control.ts';
import type { DraftStorage } from '../interrupt/drafts.ts';
import type { Conversation } from './conversation.ts';
import { callOf } from './read-messages.ts';
import { waitingCalls } from './waiting-calls.ts';

/** The cards of a conversation, and how many of them are answered. */
export function chatCards(
  conversation: Conversation,
  options: {
    readonly agentName: string | undefined;
    readonly clock: () => number;
    /** When an interrupt was raised, in milliseconds. */
    readonly raisedAt: (interruptId: string) => number;
    readonly drafts: DraftStorage | undefined;
    readonly upload: Upload | undefined;
    readonly onAnswer: (interruptId: string) => void;
    readonly onClose: () => void;
  },
): TemplateResult {
  const { messages, interrupts, cards, records, staged } = conversation.getSnapshot();
  // An answer that is not kept yet would be lost by a reload, so it does not count.
  const isKept = (id: string) => staged.some(({ interruptId }) => interruptId === id);
  const answered = cards.filter(
    ({ interrupt, status }) =>
      status.state === 'staged' || (status.state === 'sending' && isKept(interrupt.id)),
  ).length;
  return html`<div class="hp-chat-cards">
    ${
      interrupts.length > 1
        ? html`<p class="hp-chat-progress">
            ${icon('list')}<strong>${translate('{0} of {1} answered', answered, interrupts.length)}</strong>
            <span>${translate('All answers are sent together.')}</span>
          </p>`
        : nothing
    }
    ${interrupts.length === 0 ? nothing : waitingCalls(records, interrupts.length)}
    ${repeat(
      cards,
      ({ interrupt }) => interrupt.id,
      ({ interrupt, status }) => {
        const record = records.find((one) => one.interrupt.id === interrupt.id);
        return html`<holdpoint-interrupt
          .interrupt=${interrupt}
          .call=${callOf(messages, interrupt.toolCallId)}
          .status=${status}
          .agent=${options.agentName}
          .raisedAt=${options.raisedAt(interrupt.id)}
          .clock=${options.clock}
          .drafts=${options.drafts}
          .draftKey=${`${conversation.threadId}:${interrupt.id}`}
          .upload=${options.upload}
          .level=${2}
          .closable=${true}
          .waitingFor=${record?.waitingFor}
          .withdrawable=${record?.mayWithdraw === true}
          @holdpoint-withdraw=${() => {
            options.onAnswer(interrupt.id);
            void conversation.withdraw(interrupt.id);
          }}
          @holdpoint-answer=${(event: CustomEvent<AnswerDetail>) => {
            options.onAnswer(interrupt.id);
            void conversation.answer(event.detail.entry);
          }}
          @holdpoint-retry=${() => void conversation.retry(interrupt.id)}
          @holdpoint-close=${() => {
            conversation.dismiss(interrupt.id);
            options.onClose();
          }}
          @holdpoint-ask-again=${() => void conversation.askAgain(interrupt.id)}
        ></holdpoint-interrupt>`;
      },
    )}
  </div>`;
}
