import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { isRecord } from '../../core/index.ts';
import { toWords } from '../base/words.ts';

const DEEPEST = 5;

/** Renders any JSON as names and values, fully expanded; strings are shown as text. */
export function showValue(value: unknown, depth = 0): TemplateResult {
  if (depth > DEEPEST) return html`<pre class="hp-pre">${JSON.stringify(value, undefined, 2)}</pre>`;
  if (Array.isArray(value)) {
    if (value.length === 0) return html`<span class="hp-muted">none</span>`;
    return html`<ol class="hp-values">
      ${value.map((item: unknown) => html`<li>${showValue(item, depth + 1)}</li>`)}
    </ol>`;
  }
  if (isRecord(value)) return showMembers(value, depth);
  if (value === null) return html`<span class="hp-muted">nothing</span>`;
  if (value === '') return html`<span class="hp-muted">empty</span>`;
  if (typeof value === 'boolean') return html`${value ? 'Yes' : 'No'}`;
  if (typeof value === 'string' && value.includes('\n')) return html`<div class="hp-lines">${value}</div>`;
  return html`${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

/** Renders the members of an object with their names. */
export function showMembers(record: Readonly<Record<string, unknown>>, depth = 0): TemplateResult {
  const members = Object.entries(record).filter(([, value]) => value !== undefined);
  if (members.length === 0) return html`${depth === 0 ? nothing : html`<span class="hp-muted">none</span>`}`;
  return html`<dl class="hp-members">
    ${members.map(
      ([name, value]) =>
        html`<div>
          <dt>${toWords(name)}</dt>
          <dd>${showValue(value, depth + 1)}</dd>
        </div>`,
    )}
  </dl>`;
}
