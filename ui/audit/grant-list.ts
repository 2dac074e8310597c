import type { TemplateResult } from 'lit';
import { html } from 'lit';
import { count, icon, moment } from '../../src/elements/index.ts';
import type { GrantInfo } from '../host.ts';

/** Remembered decisions, each with a button to revoke it. */
export function grantList(grants: readonly GrantInfo[], revoke: (id: string) => void): TemplateResult {
  if (grants.length === 0) {
    return html`<div class="hp-empty">
      ${icon('shield')}
      <p>No tool is always allowed. To allow one, choose it under “Next time” when you approve a request.</p>
    </div>`;
  }
  return html`<ul class="audit-list" aria-label="Always allowed">
    ${grants.map(
      (grant) =>
        html`<li class="audit-grant">
          <div>
            <code>${grant.toolName ?? grant.id}</code>
            <span class="hp-muted">${whatIsAllowed(grant)}</span>
            <span class="hp-muted">${limits(grant)}</span>
          </div>
          <button type="button" class="hp-button hp-small" @click=${() => revoke(grant.id)}>Revoke</button>
        </li>`,
    )}
  </ul>`;
}

function whatIsAllowed({ agent, input, threadId, principalId }: GrantInfo): string {
  const of = agent === undefined ? 'no longer applies:' : `of ${agent},`;
  const args = input === undefined ? 'with any arguments' : `with exactly ${JSON.stringify(input)}`;
  const receiver = threadId === undefined ? `for ${principalId ?? 'everybody'}` : 'in one conversation';
  return `${of} ${args}, ${receiver}`;
}

/** "given by ana, used 2 of 5 times, 40 of 100 in total, until 12 May, 10:00". */
function limits({ givenBy, until, maxUses, maxTotal, used = 0, spent = 0 }: GrantInfo): string {
  const parts = [
    ...(givenBy === undefined ? [] : [`given by ${givenBy}`]),
    maxUses === undefined ? `used ${count(used, 'time')}` : `used ${used} of ${count(maxUses, 'time')}`,
    ...(maxTotal === undefined ? [] : [`${spent} of ${maxTotal} in total`]),
    ...(until === undefined ? [] : [`until ${moment(until)}`]),
  ];
  return parts.join(', ');
}
