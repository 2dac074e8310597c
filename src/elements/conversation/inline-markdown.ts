import type { TemplateResult } from 'lit';
import { html } from 'lit';

/** An escaped mark, code, bold, emphasis and links. No alternative matches past the end of a line, so matching stays linear. */
const INLINE =
  /\\([!-/:-@[-`{-~])|`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])[*_]([^*_\n]+)[*_](?![\w*])|\[([^\]\n]{1,300})\]\(([^)\s]{1,2000})\)|(https?:\/\/[^\s<>()"']{1,2000})/g;

type Piece = TemplateResult | string;

/** The inline pieces of a paragraph. A link shows its host and may only point to the web or to mail. */
export function inlineMarkdown(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, escaped, code, bold, emphasis, label, target, bare] = match;
    pieces.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (escaped !== undefined) pieces.push(escaped);
    else if (code !== undefined) pieces.push(html`<code>${code}</code>`);
    else if (bold !== undefined) pieces.push(html`<strong>${bold}</strong>`);
    else if (emphasis !== undefined) pieces.push(html`<em>${emphasis}</em>`);
    else pieces.push(link(label ?? bare ?? '', target ?? bare ?? '') ?? whole);
  }
  pieces.push(text.slice(end));
  return pieces;
}

function link(label: string, target: string): TemplateResult | undefined {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url === undefined || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined;
  const where = url.protocol === 'mailto:' ? url.pathname : url.host;
  const says = label.includes(where) ? '' : ` (${where})`;
  return html`<a href=${url.href} target="_blank" rel="noopener noreferrer nofollow">${label}${says}</a>`;
}
