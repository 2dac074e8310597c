import type { TemplateResult } from 'lit';
import { html } from 'lit';
import { reasonLabel } from '../interrupt/reason-label.ts';
import type { RowFilter } from './inbox-filter.ts';
import type { InboxRow } from './inbox-item.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}

const AGES: readonly Choice[] = [
  { value: '0', label: 'Any age' },
  { value: '300000', label: 'Over 5 min' },
  { value: '3600000', label: 'Over 1 h' },
  { value: '86400000', label: 'Over 1 day' },
];
const SORTS: readonly Choice[] = [
  { value: 'expiry', label: 'Expires first' },
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
];

/** Renders the filters and the order. */
export function inboxTools(options: {
  readonly rows: readonly InboxRow[];
  readonly filter: RowFilter;
  readonly set: (filter: Partial<RowFilter>) => void;
}): TemplateResult {
  const { rows, filter, set } = options;
  const reasons = [...new Set(rows.map(({ item }) => item.interrupt.reason))].toSorted();
  const agents = [...new Set(rows.map(({ agent }) => agent))].toSorted();
  return html`<div class="hp-tools" role="group" aria-label="Filter and order">
    ${select('Kind', filter.reason, {
      choices: [
        { value: '', label: 'All kinds' },
        ...reasons.map((value) => ({ value, label: reasonLabel(value).label })),
      ],
      set: (reason) => set({ reason }),
    })}
    ${select('Agent', filter.agent, {
      choices: [{ value: '', label: 'All agents' }, ...agents.map((value) => ({ value, label: value }))],
      set: (agent) => set({ agent }),
    })}
    ${select('Age', String(filter.olderThanMs), {
      choices: AGES,
      set: (age) => set({ olderThanMs: Number(age) }),
    })}
    ${select('Order', filter.sort, {
      choices: SORTS,
      set: (sort) => {
        if (sort === 'expiry' || sort === 'newest' || sort === 'oldest') set({ sort });
      },
    })}
  </div>`;
}

function select(
  label: string,
  value: string,
  options: { readonly choices: readonly Choice[]; readonly set: (value: string) => void },
): TemplateResult {
  return html`<label class="hp-tool">
    <span>${label}</span>
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
