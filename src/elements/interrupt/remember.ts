import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { CardContext } from './card-context.ts';
import { folded } from './card-parts.ts';
import { type Text, translate } from '../base/strings.ts';

const WAYS: readonly { readonly key: string; readonly label: Text; readonly remember: Remember }[] = [
  {
    key: 'arguments-thread',
    label: 'Allow exactly this, in this conversation',
    remember: { what: 'arguments', where: 'thread' },
  },
  {
    key: 'tool-thread',
    label: 'Allow this tool, in this conversation',
    remember: { what: 'tool', where: 'thread' },
  },
  {
    key: 'tool-principal',
    label: 'Allow this tool for me, always',
    remember: { what: 'tool', where: 'principal' },
  },
];

interface Remember {
  readonly what: 'tool' | 'arguments';
  readonly where: 'thread' | 'principal';
}

/** The "Next time" choice, when the response schema offers `remember`. */
export function rememberChoice(card: CardContext): TemplateResult | typeof nothing {
  const { draft, facts } = card;
  if (!facts.offersRemember) return nothing;
  const id = `${card.id}-remember`;
  const chosen = WAYS.find(({ key }) => key === draft.remember);
  return folded(
    chosen === undefined
      ? translate('Next time: ask again')
      : translate('Next time: {0}', translate(chosen.label)),
    chosen !== undefined,
    html`<div class="hp-field">
      <label class="hp-label" for=${id}>${translate('Next time')}</label>
      <select
        class="hp-input"
        id=${id}
        ?disabled=${card.isLocked}
        @change=${(event: Event) => card.update({ remember: (event.target as HTMLSelectElement).value })}
      >
        <option value="" ?selected=${chosen === undefined}>${translate('Ask again')}</option>
        ${WAYS.map(
          ({ key, label }) =>
            html`<option value=${key} ?selected=${draft.remember === key}>${translate(label)}</option>`,
        )}
      </select>
    </div>`,
  );
}

/** The `remember` member of an approval. */
export function rememberOf({ draft }: CardContext): { readonly remember?: Remember } {
  const way = WAYS.find(({ key }) => key === draft.remember);
  return way === undefined ? {} : { remember: way.remember };
}
