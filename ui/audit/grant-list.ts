import type { TemplateResult } from 'lit';
import { html } from 'lit';
import { icon, moment, translate } from '../../src/elements/index.ts';
import { ANONYMOUS } from '../../src/elements/interrupt/decision.ts';
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
  return html`<ul class="audit-list" tabindex="-1" aria-label=${translate('Always allowed')}>
    ${grants.map(
      (grant) =>
        html`<li class="audit-grant">
          <div>
            <code>${grant.toolName ?? grant.id}</code>
            <span class="hp-muted">${whatIsAllowed(grant)}</span>
            <span class="hp-muted">${limits(grant)}</span>
          </div>
          <button type="button" class="hp-button hp-small" @click=${() => revoke(grant.id)}>
            ${translate('Revoke')}
          </button>
        </li>`,
    )}
  </ul>`;
}

function whatIsAllowed({ agent, input, threadId, principalId }: GrantInfo): string {
  const of = agent === undefined ? translate('no longer applies:') : translate('of {0},', agent);
  const args =
    input === undefined
      ? translate('with any arguments')
      : translate('with exactly {0}', JSON.stringify(input));
  const receiver =
    threadId === undefined
      ? translate('for {0}', isPerson(principalId) ? principalId : translate('everybody'))
      : translate('in one conversation');
  return `${of} ${args}, ${receiver}`;
}

function isPerson(id: string | undefined): id is string {
  return id !== undefined && id !== ANONYMOUS;
}

/** "given by ana, used 2 of 5, 40 of 100 in total, until 12 May, 10:00". */
function limits({ givenBy, until, maxUses, maxTotal, used = 0, spent = 0 }: GrantInfo): string {
  const parts = [
    ...(isPerson(givenBy) ? [translate('given by {0}', givenBy)] : []),
    maxUses === undefined ? translate('uses: {0}', used) : translate('uses: {0} of {1}', used, maxUses),
    ...(maxTotal === undefined ? [] : [translate('total: {0} of {1}', spent, maxTotal)]),
    ...(until === undefined ? [] : [translate('until {0}', moment(until))]),
  ];
  return parts.join(', ');
}
