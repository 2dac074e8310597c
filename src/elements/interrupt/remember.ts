import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { parseNumber, numberProblem } from '../form/read-draft.ts';
import type { CardContext } from './card-context.ts';
import { cardText, folded } from './card-parts.ts';
import { type Text, translate } from '../base/strings.ts';

const WAYS: readonly {
  readonly key: string;
  readonly label: Text;
  readonly remember: Pick<Remember, 'what' | 'where'>;
}[] = [
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

interface Option {
  readonly value: string;
  readonly label: Text;
}

const HOUR_MS = 3_600_000;
const ENDS: readonly Option[] = [
  { value: '', label: 'No end' },
  { value: String(HOUR_MS), label: 'One hour' },
  { value: String(24 * HOUR_MS), label: 'One day' },
  { value: String(30 * 24 * HOUR_MS), label: '30 days' },
];

interface Remember {
  readonly what: 'tool' | 'arguments';
  readonly where: 'thread' | 'principal';
  readonly forMs?: number;
  readonly maxUses?: number;
  readonly maxTotal?: number;
}

/** The "Next time" choice, when the response schema offers `remember`. */
export function rememberChoice(card: CardContext): TemplateResult | typeof nothing {
  const { draft, facts } = card;
  if (!facts.offersRemember) return nothing;
  const chosen = WAYS.find(({ key }) => key === draft.remember);
  return folded(
    chosen === undefined
      ? translate('Allow it without asking next time')
      : translate('Next time: {0}', translate(chosen.label)),
    chosen !== undefined,
    {
      content: html`${choice(card, {
        name: 'remember',
        label: 'Next time',
        options: [
          { value: '', label: 'Ask again' },
          ...WAYS.filter(({ remember }) => remember.what === 'tool' || facts.offersExactly).map(
            ({ key, label }) => ({ value: key, label }),
          ),
        ],
      })}
      ${
        chosen === undefined
          ? nothing
          : html`${choice(card, { name: 'forMs', label: 'For how long', options: ENDS })}
            ${limit(card, 'maxUses', 'At most this many times (optional)')}
            ${facts.offersTotal ? limit(card, 'maxTotal', 'Up to this total amount (optional)') : nothing}`
      }`,
    },
  );
}

function choice(
  card: CardContext,
  field: {
    readonly name: 'remember' | 'forMs';
    readonly label: Text;
    readonly options: readonly Option[];
  },
): TemplateResult {
  const { name, label, options } = field;
  const id = `${card.id}-${name}`;
  const current = card.draft[name] ?? '';
  return html`<div class="hp-field">
    <label class="hp-label" for=${id}>${translate(label)}</label>
    <select
      class="hp-input"
      id=${id}
      ?disabled=${card.isLocked}
      @change=${(event: Event) => card.update({ [name]: (event.target as HTMLSelectElement).value })}
    >
      ${options.map(
        (option) =>
          html`<option value=${option.value} ?selected=${option.value === current}>
            ${translate(option.label)}
          </option>`,
      )}
    </select>
  </div>`;
}

/** A limit is typed as text: a number input would drop unreadable text, and the grant would have no limit. */
function limit(card: CardContext, name: Limit, label: Text): TemplateResult {
  return cardText(card, { name, label: translate(label), inputMode: 'decimal' });
}

type Limit = 'maxUses' | 'maxTotal';

/** The first limit that cannot be read, and why; undefined when the card can be sent. */
export function limitProblem({
  draft,
}: Pick<CardContext, 'draft'>): { readonly name: Limit; readonly text: string } | undefined {
  if (!WAYS.some(({ key }) => key === draft.remember)) return undefined;
  const text = (name: Limit) => draft[name]?.trim() ?? '';
  const uses = parseNumber(text('maxUses')) ?? 0;
  if (text('maxUses') !== '' && !(Number.isInteger(uses) && uses > 0))
    return { name: 'maxUses', text: translate('Write a whole number above 0.') };
  if (text('maxTotal') !== '' && !((parseNumber(text('maxTotal')) ?? 0) > 0))
    return { name: 'maxTotal', text: translate('Write a number above 0, such as 12 or 12.5.') };
  for (const name of ['maxUses', 'maxTotal'] as const) {
    const problem = numberProblem(text(name));
    if (problem !== undefined) return { name, text: problem };
  }
  return undefined;
}

/** The `remember` member of an approval. */
export function rememberOf({ draft }: Pick<CardContext, 'draft'>): { readonly remember?: Remember } {
  const way = WAYS.find(({ key }) => key === draft.remember);
  if (way === undefined) return {};
  const limits = (['forMs', 'maxUses', 'maxTotal'] as const).flatMap((name) => {
    const value = parseNumber(draft[name] ?? '');
    return value === undefined ? [] : [[name, value] as const];
  });
  return { remember: { ...way.remember, ...Object.fromEntries(limits) } };
}
