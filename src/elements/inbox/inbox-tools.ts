import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { reasonLabel } from '../interrupt/reason-label.ts';
import type { InboxRow } from './inbox-item.ts';
import type { InboxQuery } from './inbox-query.ts';
import { type Text, translate } from '../base/strings.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A choice whose label is a text of the page. */
interface NamedChoice {
  readonly value: string;
  readonly label: Text;
}

const AGES: readonly NamedChoice[] = [
  { value: '0', label: 'Any age' },
  { value: '300000', label: 'Over 5 min' },
  { value: '3600000', label: 'Over 1 h' },
  { value: '86400000', label: 'Over 1 day' },
];
const ORDERS: readonly NamedChoice[] = [
  { value: 'expiring', label: 'Expires first' },
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
];

/** The values that the filters offer. */
export interface InboxChoices {
  readonly reasons: ReadonlySet<string>;
  readonly agents: ReadonlySet<string>;
  readonly people: ReadonlySet<string>;
  /** The name of the viewer, once a row has it. */
  readonly you: string | undefined;
}

/** The values of the loaded rows, and those of earlier ones. */
export function inboxChoices(rows: readonly InboxRow[], earlier?: InboxChoices): InboxChoices {
  return {
    reasons: new Set([...(earlier?.reasons ?? []), ...rows.map(({ item }) => item.interrupt.reason)]),
    agents: new Set([...(earlier?.agents ?? []), ...rows.map(({ agent }) => agent)]),
    people: new Set([...(earlier?.people ?? []), ...rows.flatMap(({ askedBy }) => askedBy ?? [])]),
    you: rows.find(({ isAskedByYou }) => isAskedByYou)?.askedBy ?? earlier?.you,
  };
}

/** Renders the search, the filters and the order. A filter with a single choice is left out. */
export function inboxTools(options: {
  readonly choices: InboxChoices;
  readonly query: InboxQuery;
  readonly set: (query: Partial<InboxQuery>) => void;
  /** Leaves the search for the list. */
  readonly leave: () => void;
}): TemplateResult {
  const { choices, query, set } = options;
  // Enter goes to the list, and Escape too once the search is empty: the keys of the list work there.
  const onKey = (event: KeyboardEvent) => {
    const { value } = event.target as HTMLInputElement;
    if (event.isComposing || (event.key !== 'Enter' && (event.key !== 'Escape' || value !== ''))) return;
    event.preventDefault();
    options.leave();
  };
  const reasons = valuesOf(choices.reasons, query.reason);
  const agents = valuesOf(choices.agents, query.agent);
  const people = valuesOf(choices.people, query.askedBy);
  const named = (value: string): Choice => ({ value, label: value });
  return html`<div class="hp-tools" role="search" aria-label=${translate('Requests')}>
    <label class="hp-tool hp-search">
      <span class="hp-hidden">${translate('Search')}</span>
      <input
        class="hp-input"
        type="search"
        placeholder=${translate('Search (/)')}
        maxlength="200"
        .value=${query.q}
        @input=${(event: Event) => set({ q: (event.target as HTMLInputElement).value })}
        @keydown=${onKey}
      />
    </label>
    ${select(translate('Kind'), query.reason, {
      choices: [
        { value: '', label: translate('All kinds') },
        ...reasons.map((value) => ({ value, label: reasonLabel(value).label })),
      ],
      set: (reason) => set({ reason }),
    })}
    ${select(translate('Agent'), query.agent, {
      choices: [{ value: '', label: translate('All agents') }, ...agents.map(named)],
      set: (agent) => set({ agent }),
    })}
    ${select(translate('Asked by'), query.askedBy, {
      choices: [
        { value: '', label: translate('Everybody') },
        ...people.map((value) => (value === choices.you ? { value, label: translate('You') } : named(value))),
      ],
      set: (askedBy) => set({ askedBy }),
    })}
    ${select(translate('Age'), String(query.olderThanMs), {
      choices: AGES.map(translated),
      set: (age) => set({ olderThanMs: Number(age) }),
    })}
    ${select(translate('Order'), query.order, {
      choices: ORDERS.map(translated),
      set: (order) => {
        if (order === 'expiring' || order === 'newest' || order === 'oldest') set({ order });
      },
    })}
  </div>`;
}

function translated({ value, label }: NamedChoice): Choice {
  return { value, label: translate(label) };
}

function valuesOf(values: ReadonlySet<string>, chosen: string): readonly string[] {
  return [...new Set([...values, chosen])].filter((value) => value !== '').toSorted();
}

function select(
  label: string,
  value: string,
  options: { readonly choices: readonly Choice[]; readonly set: (value: string) => void },
): TemplateResult | typeof nothing {
  if (options.choices.length < 3 && value === '') return nothing;
  return html`<label class="hp-tool">
    <span class="hp-hidden">${label}</span>
    <select
      class="hp-input"
      @change=${(event: Event) => options.set((event.target as HTMLSelectElement).value)}
    >
      ${options.choices.map(
        (choice) =>
          html`<option value=${choice.value} ?selected=${choice.value === value}>${choice.label}</option>`,
      )}
    </select>
  </label>`;
}
