import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { unsafeStatic, html as staticHtml } from 'lit/static-html.js';
import type { Interrupt } from '../../protocol/index.ts';
import { icon } from '../base/icon.ts';
import { textWarnings, visibleText } from '../base/visible-text.ts';
import { ago } from '../base/words.ts';
import { BALANCE } from './amounts.ts';
import { markdown } from '../conversation/markdown.ts';
import type { CardFacts } from './card-facts.ts';
import { reasonLabel, riskLabel } from './reason-label.ts';
import { showMembers } from './show-value.ts';
import { translate, translateParts } from '../base/strings.ts';

/** Renders the header: message, agent, tool, asker, age and expiry. */
export function cardHeader(options: {
  readonly facts: CardFacts;
  readonly interrupt: Interrupt;
  readonly id: string;
  readonly level: number;
  readonly agent: string | undefined;
  readonly askedBy: string | undefined;
  readonly isAskedByYou: boolean;
  readonly raisedAt: number | undefined;
  readonly clock: () => number;
  /** False for an interrupt that holds an answer. */
  readonly canExpire: boolean;
  readonly onExpired: () => void;
}): TemplateResult {
  const { facts, interrupt, agent, askedBy, clock } = options;
  const reason = reasonLabel(interrupt.reason);
  const raisedAt = options.raisedAt ?? facts.raisedAt;
  const warnings = warningsIn([facts.headline, facts.message, facts.description, facts.args, facts.details]);
  const facets = [
    ...(agent === undefined
      ? []
      : [translateParts('agent {0}', html`<strong>${visibleText(agent)}</strong>`)]),
    ...(facts.toolName === undefined
      ? []
      : [translateParts('tool {0}', html`<code>${visibleText(facts.toolName)}</code>`)]),
    ...(options.isAskedByYou
      ? [translate('asked by you')]
      : askedBy === undefined
        ? []
        : [translateParts('asked by {0}', html`<bdi>${visibleText(askedBy)}</bdi>`)]),
    ...(raisedAt === undefined ? [] : [ago(raisedAt, clock())]),
  ];
  return html`<header class="hp-card-head">
      <div class="hp-badges">
        <span class="hp-badge">${icon(reason.icon)}${visibleText(reason.label)}</span>
        ${
          facts.isDestructive
            ? html`<span class="hp-badge hp-risk">${icon('alert')}${translate('Permanent')}</span>`
            : nothing
        }
        ${
          facts.risk === undefined
            ? nothing
            : html`<span class="hp-badge hp-risk">${icon('alert')}${riskLabel(facts.risk)}</span>`
        }
        ${
          options.canExpire
            ? html`<holdpoint-countdown
                .expiresAt=${interrupt.expiresAt}
                .from=${raisedAt}
                .clock=${clock}
                @holdpoint-expired=${options.onExpired}
              ></holdpoint-countdown>`
            : nothing
        }
      </div>
      ${heading(options.level, `${options.id}-title`, visibleText(facts.headline))}
      ${
        facets.length === 0
          ? nothing
          : html`<p class="hp-facets">${facets.map((one) => html`<span>${one}</span> `)}</p>`
      }
    </header>
    ${warnings.map((text) => html`<p class="hp-notice hp-bad">${icon('alert')}<span>${text}</span></p>`)}
    ${facts.message === undefined ? nothing : html`<div class="hp-message">${markdown(facts.message)}</div>`}
    ${
      facts.description === undefined
        ? nothing
        : html`<div class="hp-message hp-muted">${markdown(facts.description)}</div>`
    }
    ${
      Object.keys(facts.details).length === 0
        ? nothing
        : html`<div class="hp-args">
            ${showMembers(facts.details, { display: facts.display })}
            ${
              Object.hasOwn(facts.details, BALANCE)
                ? html`<p class="hp-caption">${translate('The balance may be lower now.')}</p>`
                : nothing
            }
          </div>`
    }`;
}

/** Warnings about characters that can deceive a reader, anywhere in the texts of an interrupt. */
function warningsIn(values: readonly unknown[]): readonly string[] {
  // A key or a text that is longer than this is not read to the end by a person either.
  return textWarnings(textsIn(values).join(' ').slice(0, LONGEST_CHECK));
}

const LONGEST_CHECK = 20_000;
const DEEPEST = 8;

function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member, depth + 1)]);
}

function heading(level: number, id: string, title: string) {
  // Lit allows no expression as a tag name; the tag is one of these constants.
  const tag = unsafeStatic(level === 1 ? 'h1' : level === 2 ? 'h2' : 'h3');
  return staticHtml`<${tag} class="hp-title" id=${id} dir="auto">${title}</${tag}>`;
}
