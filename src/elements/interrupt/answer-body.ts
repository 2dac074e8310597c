import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { defined } from '../../core/index.ts';
import type { UnknownRecord } from '../../core/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { answer, responseSchemaOf } from '../../client/index.ts';
import { visibleText } from '../base/visible-text.ts';
import type { CardContext } from './card-context.ts';
import { about, actionButton, cancelButton, cardForm } from './card-parts.ts';
import { isGivingOutput, outputButton, outputStep, takesBoth } from './output-step.ts';
import { showValue } from './show-value.ts';
import { verdictBody, verdictOf } from './verdict-body.ts';
import { translate } from '../base/strings.ts';

/**
 * The body of an input: a form built from the schema, in pages if the interrupt names some; a JSON field without a
 * schema.
 */
export function answerBody(card: CardContext): TemplateResult {
  const verdict = verdictOf(card);
  if (isGivingOutput(card)) return outputStep(card);
  if (verdict !== undefined) return verdictBody(card, verdict);
  const { facts, draft } = card;
  const schema = answerSchema(card.interrupt, card.facts.isOptional);
  const page = Math.min(draft.page ?? 0, facts.pages.length);
  const isReview = facts.pages.length > 0 && page === facts.pages.length;
  const current = facts.pages[page];
  return html`
    ${about(card)} ${facts.pages.length === 0 ? nothing : renderSteps(card, page)}
    ${current?.description === undefined ? nothing : html`<p class="hp-about">${visibleText(current.description)}</p>`}
    <div ?hidden=${isReview}>
      ${cardForm(card, {
        name: 'form',
        schema,
        ...defined({ only: current?.properties }),
      })}
    </div>
    ${isReview ? html`<div class="hp-args">${showValue(card.form('form')?.current)}</div>` : nothing}
    <div class="hp-actions">
      ${actionButton(card, {
        action: current === undefined ? 'send' : 'next',
        label: translate(
          current !== undefined ? 'Next' : takesBoth(card) ? 'Run again with this answer' : 'Send answer',
        ),
        ...(current === undefined ? { icon: 'check' } : {}),
        kind: 'hp-primary',
        isPrimary: true,
        run: () => (current === undefined ? send(card) : next(card, page)),
      })}
      ${
        page > 0
          ? actionButton(card, {
              action: 'previous',
              label: translate('Back'),
              run: () => card.toPage(page - 1),
            })
          : nothing
      }
      ${
        facts.isOptional
          ? actionButton(card, {
              action: 'skip',
              label: translate('Skip'),
              run: () => card.send(answer(card.interrupt, null)),
            })
          : nothing
      }
      ${outputButton(card)} ${cancelButton(card, 'question')}
    </div>
  `;
}

/** The steps of a wizard: those before the current one are done, a review is the last. */
function renderSteps({ facts, id }: CardContext, page: number): TemplateResult {
  const titles = [...facts.pages.map(({ title }) => title), translate('Review')];
  return html`<div class="hp-wizard">
    <ol class="hp-steps">
      ${titles.map(
        (title, index) =>
          html`<li
            data-step=${index < page ? 'done' : index === page ? 'current' : 'next'}
            aria-current=${index === page ? 'step' : nothing}
          >
            ${visibleText(title)}${index < page ? html`<span class="hp-hidden"> ${translate('(done)')}</span>` : nothing}
          </li>`,
      )}
    </ol>
    <p class="hp-step" id="${id}-step" tabindex="-1">
      <strong>${visibleText(titles[page] ?? '')}</strong>
      <span>${translate('step {0} of {1}', page + 1, titles.length)}</span>
    </p>
  </div>`;
}

/** The schema of the form. */
export function answerSchema(interrupt: Interrupt, isOptional: boolean): UnknownRecord {
  const responseSchema = responseSchemaOf(interrupt);
  const { anyOf } = responseSchema;
  // The form shows the schema without null: a button of its own sends null.
  const [inner, none, ...others] = Array.isArray(anyOf) ? (anyOf as UnknownRecord[]) : [];
  const isWrapped = isOptional && others.length === 0 && none?.['type'] === 'null';
  return isWrapped && inner !== undefined ? inner : responseSchema;
}

async function next(card: CardContext, page: number): Promise<void> {
  const result = await card.form('form')?.submit();
  if (result?.ok === true) card.toPage(page + 1);
}

async function send(card: CardContext): Promise<void> {
  const result = await card.form('form')?.submit();
  if (result?.ok === true) card.send(answer(card.interrupt, result.value));
}
