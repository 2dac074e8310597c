import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { answerFormsOf, respond, schemaOfForm } from '../../client/index.ts';
import { translate } from '../base/strings.ts';
import type { CardContext } from './card-context.ts';
import { about, actionButton, cancelButton, cardForm } from './card-parts.ts';

/** The name of the step in which a person gives the output of the call. */
const OUTPUT = 'output';

/** True for a call that runs again with its answer, or takes its output from a person: the card has a button for each. */
export function takesBoth({ interrupt }: Pick<CardContext, 'interrupt'>): boolean {
  return answerFormsOf(interrupt).length > 1;
}

/** True while a person gives the output; also when another answer was first, and an output was entered: it stays in sight. */
export function isGivingOutput(card: CardContext): boolean {
  return takesBoth(card) && (card.asking === OUTPUT || (card.isUnsent && card.draft.output !== undefined));
}

/** The button that asks for the output of the call. */
export function outputButton(card: CardContext): TemplateResult | typeof nothing {
  if (!takesBoth(card)) return nothing;
  return actionButton(card, {
    action: OUTPUT,
    label: translate('Give the result instead'),
    title: translate('The call does not run again. The agent gets this as its result.'),
    run: () => card.ask(OUTPUT),
  });
}

/** The second step: a form for the output, and the button that sends it. */
export function outputStep(card: CardContext): TemplateResult {
  return html`
    ${about(card)}
    <p class="hp-about">${translate('The call does not run again. The agent gets this as its result.')}</p>
    ${cardForm(card, { name: OUTPUT, schema: schemaOfForm(card.interrupt, OUTPUT) ?? {} })}
    <div class="hp-actions">
      ${actionButton(card, {
        action: 'send',
        label: translate('Send the result'),
        icon: 'check',
        kind: 'hp-primary',
        isPrimary: true,
        run: () => send(card),
      })}
      ${actionButton(card, { action: 'back', label: translate('Back'), run: () => card.ask(undefined) })}
      ${cancelButton(card, 'question')}
    </div>
  `;
}

async function send(card: CardContext): Promise<void> {
  const result = await card.form(OUTPUT)?.submit();
  if (result?.ok === true) card.send(respond(card.interrupt, result.value));
}
