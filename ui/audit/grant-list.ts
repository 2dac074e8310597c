import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Text } from '../../src/elements/index.ts';
import { errorSentence, icon, moment, showValue, translate, visibleText } from '../../src/elements/index.ts';
import { ANONYMOUS } from '../../src/elements/interrupt/decision.ts';
import type { GrantInfo } from '../host.ts';
import { chatPath, withAgent } from '../router.ts';

/** The revocation of one grant. */
export type Revocation =
  | { readonly state: 'sending' | 'done' }
  | { readonly state: 'failed'; readonly error: unknown };

/** Remembered decisions, each with a button to revoke it: first those that allow a call. Revoked ones are left out. */
export function grantList(
  listed: readonly GrantInfo[],
  { revocations, revoke, now }: GrantListOptions,
): TemplateResult {
  const grants = listed.filter(({ id }) => revocations.get(id)?.state !== 'done');
  const working = grants.filter((grant) => endOf(grant, now) === undefined);
  const ended = grants.filter((grant) => endOf(grant, now) !== undefined);
  const ofOthers = html`<p class="hp-muted">
    ${translate('Other people may have grants that are not shown here.')}
  </p>`;
  const show = (grant: GrantInfo) =>
    grantRow(grant, {
      end: endOf(grant, now),
      revocation: revocations.get(grant.id),
      revoke: () => revoke(grant.id),
    });
  const list = (label: string, shown: readonly GrantInfo[]) =>
    html`<ul class="audit-list" tabindex="-1" aria-label=${label}>
      ${repeat(shown, ({ id }) => id, show)}
    </ul>`;
  return html`${
    working.length === 0
      ? html`<div class="hp-empty">
          ${icon('shield')}
          <p>
            ${translate(
              ended.length === 0
                ? 'You have always allowed no tool. To allow one, choose it under “Next time” when you approve a request.'
                : 'No tool is allowed now. To allow one, choose it under “Next time” when you approve a request.',
            )}
          </p>
          ${ofOthers}
        </div>`
      : html`${ofOthers} ${list(translate('Always allowed'), working)}`
  }
  ${
    ended.length === 0
      ? nothing
      : html`<h2>${translate('No longer allowed')}</h2>
          ${list(translate('No longer allowed'), ended)}`
  }`;
}

interface GrantListOptions {
  /** By the ids of the grants. */
  readonly revocations: ReadonlyMap<string, Revocation>;
  readonly revoke: (id: string) => void;
  /** Milliseconds since the epoch, of the server. */
  readonly now: number;
}

/** Why a grant allows no further call; undefined while it does. */
function endOf(grant: GrantInfo, now: number): Text | undefined {
  const { agent, until, maxUses, maxTotal, used = 0, spent = 0 } = grant;
  if (agent === undefined) return 'no longer applies';
  const isUsedUp =
    (maxUses !== undefined && used >= maxUses) || (maxTotal !== undefined && spent >= maxTotal);
  if (isUsedUp) return 'used up';
  return until !== undefined && now >= until ? 'expired' : undefined;
}

function grantRow(
  grant: GrantInfo,
  {
    end,
    revocation,
    revoke,
  }: {
    readonly end: Text | undefined;
    readonly revocation: Revocation | undefined;
    readonly revoke: () => void;
  },
): TemplateResult {
  const { agent, toolName = grant.id } = grant;
  return html`<li class="audit-grant">
    <div class="audit-grant-facts">
      <p>
        <code>${visibleText(toolName)}</code>
        ${agent === undefined ? nothing : html`<span class="hp-muted">${translate('of {0}', visibleText(agent))}</span>`}
        ${end === undefined ? nothing : html`<strong class="hp-badge hp-late">${translate(end)}</strong>`}
      </p>
      ${argumentsOf(grant)}
      <p class="hp-muted">${limits(grant)}</p>
      ${failureOf(revocation)}
    </div>
    ${revokeButton(revocation, { label: end === undefined ? 'Revoke' : 'Remove', revoke })}
  </li>`;
}

function revokeButton(
  revocation: Revocation | undefined,
  { label, revoke }: { readonly label: Text; readonly revoke: () => void },
): TemplateResult {
  const isSending = revocation?.state === 'sending';
  return html`<button
    type="button"
    class="hp-button hp-small"
    aria-disabled=${isSending ? 'true' : nothing}
    @click=${revoke}
  >
    ${translate(isSending ? 'Revoking …' : label)}
  </button>`;
}

function failureOf(revocation: Revocation | undefined): TemplateResult | typeof nothing {
  if (revocation?.state !== 'failed') return nothing;
  return html`<p class="hp-notice hp-bad" role="alert">
    ${icon('alert')}<span
      >${translate('This grant was not revoked.')} <span>${errorSentence(revocation.error)}</span></span
    >
  </p>`;
}

/** The arguments that are allowed, as names and values. */
function argumentsOf({ input }: GrantInfo): TemplateResult {
  if (input === undefined) return html`<p>${translate('with any arguments')}</p>`;
  return html`<p>${translate('only with these arguments:')}</p>
    <div class="hp-args">${showValue(input, { depth: 1 })}</div>`;
}

/** The calls that are allowed, by their conversation, as a link to it, and by the person who asks. */
function receiverOf({ threadId, principalId, forYou }: GrantInfo): TemplateResult {
  // Without logins, `anonymous` is everybody. With logins, it can be the id of guests.
  const isAnybody = principalId === ANONYMOUS;
  const person = isAnybody ? translate('everybody without a login') : principalId;
  const named = person === undefined ? undefined : translate('for {0}', visibleText(person));
  const forPerson = forYou === true && !isAnybody ? translate('for you') : named;
  if (threadId === undefined) return html`${forPerson ?? translate('for {0}', translate('everybody'))}`;
  const rest = forPerson === undefined ? '' : `, ${forPerson}`;
  return html`<a href=${withAgent(chatPath(threadId))}>${translate('in one conversation')}</a>${rest}`;
}

/** "for ana · given by you · uses: 2 of 5 · total: 40 of 100 · until 12 May, 10:00". */
function limits(grant: GrantInfo): TemplateResult {
  const { givenBy, givenByYou, until, maxUses, maxTotal, used = 0, spent = 0 } = grant;
  const parts = [
    ...(givenBy === undefined || givenBy === ANONYMOUS
      ? []
      : [givenByYou === true ? translate('given by you') : translate('given by {0}', visibleText(givenBy))]),
    maxUses === undefined ? translate('uses: {0}', used) : translate('uses: {0} of {1}', used, maxUses),
    ...(maxTotal === undefined ? [] : [translate('total: {0} of {1}', spent, maxTotal)]),
    ...(until === undefined ? [] : [translate('until {0}', moment(until))]),
  ];
  return html`${receiverOf(grant)} · ${parts.join(' · ')}`;
}
