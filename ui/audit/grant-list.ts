import type { TemplateResult } from 'lit';
import { html } from 'lit';
import { icon, translate } from '../../src/elements/index.ts';
import type { GrantInfo } from '../host.ts';

/** Remembered decisions, each with a button to revoke it. */
export function grantList(grants: readonly GrantInfo[], revoke: (id: string) => void): TemplateResult {
  if (grants.length === 0) {
    return html`<div class="hp-empty">
      ${icon('shield')}
      <p>
        ${translate('No tool is always allowed. To allow one, choose it under “Next time” when you approve a request.')}
      </p>
    </div>`;
  }
  return html`<ul class="audit-list" aria-label=${translate('Always allowed')}>
    ${grants.map(
      ({ id, agent, toolName, input, threadId, principalId }) =>
        html`<li class="audit-grant">
          <div>
            <code>${toolName ?? id}</code>
            <span class="hp-muted">
              ${agent === undefined ? translate('no longer applies:') : translate('of {0},', agent)}
              ${input === undefined ? translate('with any arguments') : translate('with exactly {0}', JSON.stringify(input))},
              ${threadId === undefined ? translate('for {0}', principalId ?? translate('everybody')) : translate('in one conversation')}
            </span>
          </div>
          <button type="button" class="hp-button hp-small" @click=${() => revoke(id)}>
            ${translate('Revoke')}
          </button>
        </li>`,
    )}
  </ul>`;
}
