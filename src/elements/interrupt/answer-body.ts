import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { UnknownRecord } from '../../core/index.ts';
import { answer } from '../../client/index.ts';
import { icon } from '../base/icon.ts';
import type { CardContext } from './card-context.ts';
import { about, cancelButton, cardForm } from './card-parts.ts';
import { showValue } from './show-value.ts';
import { verdictBody, verdictOf } from './verdict-body.ts';

/**
 * The body of an input: a form built from the schema, in pages if the interrupt names some; a JSON field without a
 * schema.
 */
export function answerBody(card: CardContext): TemplateResult {
  const verdict = verdictOf(card);
  if (verdict !== undefined) return verdictBody(card, verdict);
  const { facts, draft, isLocked } = card;
  const schema = schemaOf(card);
  const page = Math.min(draft.page ?? 0, facts.pages.length);
  const isReview = facts.pages.length > 0 && page === facts.pages.length;
  const current = facts.pages[page];
  return html`
    ${about(card)}
    ${
      facts.pages.length === 0
        ? nothing
        : html`<p class="hp-step">
            ${
              isReview
                ? html`<strong>Review</strong>`
                : html`<strong>${current?.title}</strong>
                    <span>step ${page + 1} of ${facts.pages.length}</span>`
            }
          </p>`
    }
    ${current?.description === undefined ? nothing : html`<p class="hp-about">${current.description}</p>`}
    <div ?hidden=${isReview}>
      ${cardForm(card, {
        name: 'form',
        schema,
        ...(current === undefined ? {} : { only: current.properties }),
      })}
    </div>
    ${isReview ? html`<div class="hp-args">${showValue(card.form('form')?.current)}</div>` : nothing}
    <div class="hp-actions">
      <button
        type="button"
        class="hp-button hp-primary"
        data-action=${current === undefined ? 'send' : 'next'}
        data-primary
        ?disabled=${isLocked}
        @click=${() => card.act(() => (current === undefined ? send(card) : next(card, page)))}
      >
        ${current === undefined ? html`${icon('check')}Send answer` : 'Next'}
      </button>
      ${
        page > 0
          ? html`<button
              type="button"
              class="hp-button"
              data-action="previous"
              ?disabled=${isLocked}
              @click=${() => card.update({ page: page - 1 })}
            >
              Back
            </button>`
          : nothing
      }
      ${
        facts.isOptional
          ? html`<button
              type="button"
              class="hp-button"
              data-action="skip"
              ?disabled=${isLocked}
              @click=${() => card.act(() => card.send(answer(card.interrupt, null)))}
            >
              Skip
            </button>`
          : nothing
      }
      ${cancelButton(card)}
    </div>
  `;
}

function schemaOf({ interrupt, facts }: CardContext): UnknownRecord {
  const schema = interrupt.responseSchema ?? {};
  // The form shows the schema without null: a button of its own sends null.
  const [inner, none, ...others] = Array.isArray(schema['anyOf']) ? (schema['anyOf'] as UnknownRecord[]) : [];
  const isWrapped = facts.isOptional && others.length === 0 && none?.['type'] === 'null';
  return isWrapped && inner !== undefined ? inner : schema;
}

async function next(card: CardContext, page: number): Promise<void> {
  const result = await card.form('form')?.submit();
  if (result?.ok === true) card.update({ page: page + 1 });
}

async function send(card: CardContext): Promise<void> {
  const result = await card.form('form')?.submit();
  if (result?.ok === true) card.send(answer(card.interrupt, result.value));
}
