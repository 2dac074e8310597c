import type { TemplateResult } from 'lit';
import { describe, expect, it } from 'vitest';
import { inlineMarkdown } from './inline-markdown.ts';
import { markdown } from './markdown.ts';

/** A template as HTML, with its values escaped as Lit escapes them. */
function toHtml(value: unknown): string {
  if (Array.isArray(value)) return value.map(toHtml).join('');
  if (typeof value !== 'object' || value === null || !('strings' in value))
    return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const { strings, values } = value as Pick<TemplateResult, 'strings' | 'values'>;
  const text = strings.map((piece, index) => piece + (index < values.length ? toHtml(values[index]) : ''));
  // The templates are indented.
  return text.join('').replaceAll(/\s*\n\s*/g, '');
}
const inline = (text: string) => toHtml(inlineMarkdown(text));
const block = (text: string) => toHtml(markdown(text));

describe('inlineMarkdown', () => {
  it.each([
    ['**pay** it', '<strong>pay</strong> it'],
    ['*now* or _then_', '<em>now</em> or <em>then</em>'],
    ['`rm -rf`', '<code>rm -rf</code>'],
    ['\\*not bold\\*', '*not bold*'],
    ['snake_case_name', 'snake_case_name'],
    ['<b>x</b> & "y"', '&lt;b>x&lt;/b> &amp; &quot;y&quot;'],
  ])('%s', (text, html) => {
    expect(inline(text)).toBe(html);
  });

  it('links to the web and to mail, and shows where a link leads', () => {
    expect(inline('[docs](https://docs.example/a)')).toContain('docs (docs.example)</a>');
    expect(inline('[docs.example](https://docs.example/a)')).toContain('>docs.example</a>');
    expect(inline('[ana](mailto:ana@b.example)')).toContain('ana (ana@b.example)</a>');
    expect(inline('see https://docs.example/a.')).toContain('<a href');
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://a.example/1',
    '//docs.example/a',
    '/threads/t1',
    'tel:123',
  ])('makes no link to %s', (target) => {
    expect(inline(`[label](${target})`)).toBe(`[label](${target})`);
  });

  it('opens links outside the page without a way back', () => {
    expect(inline('https://a.example/')).toContain('rel="noopener noreferrer nofollow"');
    expect(inline('https://a.example/')).toContain('target="_blank"');
  });
});

describe('markdown', () => {
  it.each([
    ['one\n\ntwo', '<p>one</p><p>two</p>'],
    ['# Title', '<p class="hp-heading">Title</p>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['1. a\n2) b', '<ol><li>a</li><li>b</li></ol>'],
    ['> said', '<blockquote>said</blockquote>'],
    ['```\n<b>**x**\n```', '<pre class="hp-pre" tabindex="0"><code>&lt;b>**x**</code></pre>'],
    ['```\nno end', '<pre class="hp-pre" tabindex="0"><code>no end</code></pre>'],
  ])('%j', (text, html) => {
    expect(block(text)).toBe(html);
  });

  it('shows a table with as many cells as its head', () => {
    expect(block('| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| x\\|y |')).toContain(
      '<tbody><tr><td>1</td><td>2</td></tr><tr><td>x|y</td><td></td></tr></tbody>',
    );
  });

  it('shows HTML as text and never as HTML', () => {
    expect(block('<img src=x onerror=alert(1)>')).toMatch(/^<p>&lt;img src/);
  });

  it('makes characters visible that change the order of a text', () => {
    expect(block('pay \u202E321CBA')).not.toContain('\u202E');
  });
});
