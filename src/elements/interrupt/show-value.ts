import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { isRecord } from '../../core/index.ts';
import { visibleText } from '../base/visible-text.ts';
import { toWords } from '../base/words.ts';
import { language, translate } from '../base/strings.ts';

const DEEPEST = 5;
/** Characters and items that are shown before "Show all". */
const LONG_TEXT = 4000;
const LONG_LIST = 100;

/** Where a value is shown. */
export interface ValuePlace {
  readonly depth?: number;
  /** The name of the member; it tells code from prose. */
  readonly name?: string;
  /** Texts that the author of a tool gives for members, such as an amount with its currency. */
  readonly display?: Readonly<Record<string, unknown>> | undefined;
}

/** Renders any JSON as names and values; strings are shown as text, hidden characters as their code. */
export function showValue(
  value: unknown,
  { depth = 0, name = '', display }: ValuePlace = {},
): TemplateResult {
  if (depth > DEEPEST) return showLong(toJson(value), 'hp-pre');
  if (Array.isArray(value)) return showList(value, depth);
  if (isRecord(value)) return showMembers(value, { depth, display });
  if (value === null || value === undefined)
    return html`<span class="hp-muted">${translate('nothing')}</span>`;
  if (value === '') return html`<span class="hp-muted">${translate('empty')}</span>`;
  if (typeof value === 'boolean') return html`<span>${translate(value ? 'Yes' : 'No')}</span>`;
  if (typeof value !== 'string') return html`<span class="hp-number">${JSON.stringify(value)}</span>`;
  if (CODE_NAME.test(name)) return showLong(value, 'hp-pre');
  if (value.length > LONG_TEXT || value.includes('\n')) return showLong(value, 'hp-lines');
  if (isId(value)) return html`<code class="hp-id">${visibleText(value)}</code>`;
  return html`<bdi>${visibleText(value)}</bdi>`;
}

/** Renders the result of a call: JSON as names and values, any other text as it is. `display`: the tool's texts for it. */
export function showResult(result: string, display: unknown): TemplateResult {
  if (typeof display === 'string') return html`<bdi class="hp-number">${visibleText(display)}</bdi>`;
  return showValue(parse(result), { depth: 1, display: isRecord(display) ? display : undefined });
}

/** Renders the value of an answer. The host stores a secret as a marker, which is shown as dots. */
export function showAnswer(payload: unknown): TemplateResult {
  return showValue(withoutMarkers(payload));
}

function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarkers);
  if (!isRecord(value)) return value;
  const members = Object.entries(value);
  if (members.length === 1 && typeof value['$secret'] === 'string') return '••••••';
  return Object.fromEntries(members.map(([name, member]) => [name, withoutMarkers(member)]));
}

/** Renders the members of an object with their names. */
export function showMembers(
  record: Readonly<Record<string, unknown>>,
  { depth = 0, display }: ValuePlace = {},
): TemplateResult {
  const members = Object.entries(record).filter(([, value]) => value !== undefined);
  if (members.length === 0)
    return html`${depth === 0 ? nothing : html`<span class="hp-muted">${translate('none')}</span>`}`;
  return html`<dl class="hp-members">
      ${members.slice(0, LONG_LIST).map(([name, value]) => {
        const shown = display !== undefined && Object.hasOwn(display, name) ? display[name] : undefined;
        return html`<div>
          <dt>${visibleText(toWords(name))}</dt>
          <dd>
            ${
              typeof shown === 'string'
                ? html`<bdi class="hp-number">${visibleText(shown)}</bdi>`
                : showValue(value, { depth: depth + 1, name })
            }
          </dd>
        </div>`;
      })}
    </dl>
    ${showRest(members.length)}`;
}

/** Names of members that hold code. */
const CODE_NAME = /^(?:query|sql|code|script|command|statement|snippet)$/i;

/** An identifier: one word with a digit, or a path or address of a machine. */
function isId(value: string): boolean {
  return /^\S{3,}$/.test(value) && /\d/.test(value) && /^[\p{L}\d._:/#+=-]+$/u.test(value);
}

function showList(list: readonly unknown[], depth: number): TemplateResult {
  if (list.length === 0) return html`<span class="hp-muted">${translate('none')}</span>`;
  return html`<ol class="hp-values">
      ${list.slice(0, LONG_LIST).map((item) => html`<li>${showValue(item, { depth: depth + 1 })}</li>`)}
    </ol>
    ${showRest(list.length)}`;
}

function showRest(length: number): TemplateResult | typeof nothing {
  if (length <= LONG_LIST) return nothing;
  return html`<p class="hp-muted">
    ${translate('… and {0} more', (length - LONG_LIST).toLocaleString(language()))}
  </p>`;
}

/** Renders a text with its line breaks; the end of a very long one is behind "Show all". */
function showLong(value: string, kind: 'hp-pre' | 'hp-lines'): TemplateResult {
  const text = (part: string) =>
    kind === 'hp-pre'
      ? html`<pre class="hp-pre" tabindex="0"><code>${visibleText(part)}</code></pre>`
      : html`<div class="hp-lines" dir="auto">${visibleText(part)}</div>`;
  if (value.length <= LONG_TEXT) return text(value);
  const open = (event: Event) => {
    const fold = event.currentTarget as HTMLDetailsElement;
    const rest = fold.querySelector('.hp-lines, code');
    // The rest of a text of a megabyte is written when a reader asks for it.
    if (fold.open && rest !== null) rest.textContent = visibleText(value);
  };
  return html`${text(`${value.slice(0, LONG_TEXT)} …`)}
    <details class="hp-more-text" @toggle=${open}>
      <summary>${translate('Show all {0} characters', value.length.toLocaleString(language()))}</summary>
      ${text('')}
    </details>`;
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch {
    return translate('This value is nested too deeply to be shown.');
  }
}

/** The value of a JSON text; any other text as it is. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
