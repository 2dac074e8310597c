import type { TemplateResult } from 'lit';
import { html } from 'lit';
import { visibleText } from '../base/visible-text.ts';
import { inlineMarkdown } from './inline-markdown.ts';
import { translate } from '../base/strings.ts';

/**
 * Renders the Markdown that agents write: paragraphs, headings, lists, quotes, tables, code. Nothing is parsed as HTML, so
 * no sanitizing is needed; unknown syntax is shown as written.
 */
export function markdown(text: string): TemplateResult {
  const blocks: TemplateResult[] = [];
  const lines = visibleText(text).split('\n');
  let at = 0;
  const take = (test: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && test(lines[at] ?? '')) at += 1;
    return lines.slice(from, at);
  };
  const isTable = (index: number) =>
    (lines[index] ?? '').includes('|') && TABLE_LINE.test(lines[index + 1] ?? '');
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at += 1;
    } else if (line.startsWith('```')) {
      at += 1;
      const code = take((one) => !one.startsWith('```'));
      at += 1;
      blocks.push(html`<pre class="hp-pre" tabindex="0"><code>${code.join('\n')}</code></pre>`);
    } else if (BULLET.test(line)) {
      const items = take((one) => BULLET.test(one));
      blocks.push(
        html`<ul>
          ${items.map((item) => html`<li>${inlineMarkdown(item.replace(BULLET, ''))}</li>`)}
        </ul>`,
      );
    } else if (NUMBERED.test(line)) {
      const items = take((one) => NUMBERED.test(one));
      blocks.push(
        html`<ol>
          ${items.map((item) => html`<li>${inlineMarkdown(item.replace(NUMBERED, ''))}</li>`)}
        </ol>`,
      );
    } else if (QUOTE.test(line)) {
      const quoted = take((one) => QUOTE.test(one));
      blocks.push(
        html`<blockquote>
          ${inlineMarkdown(quoted.map((one) => one.replace(QUOTE, '')).join('\n'))}
        </blockquote>`,
      );
    } else if (HEADING.test(line)) {
      at += 1;
      blocks.push(html`<p class="hp-heading">${inlineMarkdown(line.replace(HEADING, ''))}</p>`);
    } else if (isTable(at)) {
      blocks.push(table(take((one) => one.includes('|'))));
    } else {
      const paragraph = take((one) => isParagraph(one) && !isTable(at));
      blocks.push(html`<p>${inlineMarkdown(paragraph.join('\n'))}</p>`);
    }
  }
  return html`${blocks}`;
}

const BULLET = /^\s{0,3}[-*+]\s+/;
const NUMBERED = /^\s{0,3}\d{1,9}[.)]\s+/;
const QUOTE = /^\s{0,3}>\s?/;
const TABLE_LINE = /^(?=.*--)[\s|:-]+$/;
const HEADING = /^\s{0,3}#{1,6}\s+/;

function isParagraph(line: string): boolean {
  if (line.trim() === '' || line.startsWith('```')) return false;
  return ![BULLET, NUMBERED, QUOTE, HEADING].some((block) => block.test(line));
}

/** A table: its head, a line of dashes, and its rows. */
function table([head = '', , ...rows]: readonly string[]): TemplateResult {
  const names = cellsOf(head);
  return html`<div class="hp-table" tabindex="0" role="region" aria-label=${translate('Table')}>
    <table>
      <thead>
        <tr>
          ${names.map((name) => html`<th scope="col">${inlineMarkdown(name)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => {
          const cells = cellsOf(row);
          return html`<tr>
            ${names.map((_, index) => html`<td>${inlineMarkdown(cells[index] ?? '')}</td>`)}
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}

/** The cells of a row; `\|` is a bar within a cell. */
function cellsOf(row: string): readonly string[] {
  const cells = row.trim().split(/(?<!\\)\|/);
  if (cells[0]?.trim() === '') cells.shift();
  if (cells.at(-1)?.trim() === '') cells.pop();
  return cells.map((cell) => cell.replaceAll('\\|', '|').trim());
}
