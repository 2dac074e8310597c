import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { unsafeStatic, html as staticHtml } from 'lit/static-html.js';
import type { Interrupt } from '../../protocol/index.ts';
import { icon } from '../base/icon.ts';
import { ago } from '../base/words.ts';
import { markdown } from '../conversation/markdown.ts';
import type { CardFacts } from './card-facts.ts';
import { reasonLabel } from './reason-label.ts';
import { showMembers } from './show-value.ts';

/** Renders the header: agent, message, tool, age and expiry. */
export function cardHeader(options: {
  readonly facts: CardFacts;
  readonly interrupt: Interrupt;
  readonly id: string;
  readonly level: number;
  readonly agent: string | undefined;
  readonly askedBy: string | undefined;
  readonly raisedAt: number | undefined;
  readonly clock: () => number;
  readonly onExpired: () => void;
}): TemplateResult {
  const { facts, interrupt, agent, askedBy, clock } = options;
  const reason = reasonLabel(interrupt.reason);
  const raisedAt = options.raisedAt ?? facts.raisedAt;
  const facets = [
    ...(agent === undefined ? [] : [html`asked by <strong>${agent}</strong>`]),
    ...(facts.toolName === undefined ? [] : [html`tool <code>${facts.toolName}</code>`]),
    ...(askedBy === undefined ? [] : [html`for ${askedBy}`]),
    ...(raisedAt === undefined ? [] : [html`${ago(raisedAt, clock())}`]),
  ];
  return html`<header class="hp-card-head">
      <div class="hp-badges">
        <span class="hp-badge">${icon(reason.icon)}${reason.label}</span>
        ${
          facts.isDestructive
            ? html`<span class="hp-badge hp-late">${icon('alert')}Cannot be undone</span>`
            : nothing
        }
        ${
          facts.risk === undefined
            ? nothing
            : html`<span class="hp-badge hp-late">${icon('alert')}Risk: ${facts.risk}</span>`
        }
        <holdpoint-countdown
          .expiresAt=${interrupt.expiresAt}
          .from=${raisedAt}
          .clock=${clock}
          @holdpoint-expired=${options.onExpired}
        ></holdpoint-countdown>
      </div>
      ${heading(options.level, `${options.id}-title`, facts.title)}
      ${
        facets.length === 0
          ? nothing
          : html`<p class="hp-facets">${facets.map((one) => html`<span>${one}</span>`)}</p>`
      }
    </header>
    ${facts.message === undefined ? nothing : html`<div class="hp-message">${markdown(facts.message)}</div>`}
    ${
      facts.description === undefined
        ? nothing
        : html`<div class="hp-message hp-muted">${markdown(facts.description)}</div>`
    }
    ${
      Object.keys(facts.details).length === 0
        ? nothing
        : html`<div class="hp-args">${showMembers(facts.details)}</div>`
    }`;
}

function heading(level: number, id: string, title: string) {
  // Lit allows no expression as a tag name; the tag is one of these constants.
  const tag = unsafeStatic(level === 1 ? 'h1' : level === 2 ? 'h2' : 'h3');
  return staticHtml`<${tag} class="hp-title" id=${id}>${title}</${tag}>`;
}
