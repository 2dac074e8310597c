import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { isRecord, pointerTokens } from '../../core/index.ts';
import { approve, reject } from '../../client/index.ts';
import { icon } from '../base/icon.ts';
import { count, toWords } from '../base/words.ts';
import type { CardContext } from './card-context.ts';
import { cancelButton, cardForm, cardText } from './card-parts.ts';
import type { Change } from './changes.ts';
import { changesBetween } from './changes.ts';
import { rememberChoice, rememberOf } from './remember.ts';
import { showValue } from './show-value.ts';

/** The body of an approval: approve, reject, edit the arguments, give a reason. */
export function approvalBody(card: CardContext): TemplateResult {
  const { facts, draft, isLocked } = card;
  const isEditing = draft.editing === true && facts.editSchema !== undefined;
  const changes = isEditing ? changesOf(card) : [];
  return html`
    ${
      isEditing && facts.editSchema !== undefined
        ? cardForm(card, { name: 'edits', schema: facts.editSchema, value: facts.args })
        : html`<div class="hp-args">${showValue(facts.args ?? {})}</div>`
    }
    ${changes.length === 0 ? nothing : showChanges(changes)}
    ${facts.extras === undefined ? nothing : cardForm(card, { name: 'extras', schema: facts.extras })}
    ${
      facts.confirmation === undefined
        ? nothing
        : cardText(card, {
            name: 'phrase',
            label: html`Type <code>${facts.confirmation}</code> to approve`,
          })
    }
    ${
      facts.offersReason
        ? cardText(card, {
            name: 'reason',
            label: facts.requiresReason ? 'Reason (needed to reject)' : html`Reason <span>(optional)</span>`,
          })
        : nothing
    }
    ${rememberChoice(card)}
    <div class="hp-actions">
      ${
        card.asking === 'approve'
          ? secondLook(card)
          : html`<button
                type="button"
                class="hp-button hp-primary"
                data-action="approve"
                data-primary
                ?disabled=${isLocked}
                @click=${() => card.act(() => giveApproval(card))}
              >
                ${icon('check')}${
                  changes.length === 0 ? 'Approve' : `Approve with ${count(changes.length, 'change')}`
                }
              </button>
              <button
                type="button"
                class="hp-button hp-danger"
                data-action="reject"
                ?disabled=${isLocked}
                @click=${() => card.act(() => giveRejection(card))}
              >
                ${icon('ban')}Reject
              </button>
              ${facts.editSchema === undefined ? nothing : editButton(card, isEditing)} ${cancelButton(card)}`
      }
    </div>
  `;
}

function editButton(card: CardContext, isEditing: boolean): TemplateResult {
  return html`<button
    type="button"
    class="hp-button"
    data-action="edit"
    aria-pressed=${isEditing ? 'true' : 'false'}
    ?disabled=${card.isLocked}
    @click=${() => card.update({ editing: !isEditing })}
  >
    ${icon('edit')}${isEditing ? 'Discard edits' : 'Edit'}
  </button>`;
}

/** An action that cannot be undone needs a second press. */
function secondLook(card: CardContext): TemplateResult {
  return html`<p class="hp-second-look">${icon('alert')}This cannot be undone.</p>
    <button
      type="button"
      class="hp-button hp-danger hp-filled"
      data-action="confirm"
      ?disabled=${card.isLocked}
      @click=${() => card.act(() => giveApproval(card))}
    >
      Yes, approve
    </button>
    <button
      type="button"
      class="hp-button"
      data-action="back"
      ?disabled=${card.isLocked}
      @click=${() => card.ask(undefined)}
    >
      Back
    </button>`;
}

function showChanges(changes: readonly Change[]): TemplateResult {
  return html`<section class="hp-changes" aria-label="Changes">
    <h4>${count(changes.length, 'change')}</h4>
    <ul>
      ${changes.map(
        ({ pointer, before, after }) =>
          html`<li>
            <strong>${(pointerTokens(pointer) ?? []).map(toWords).join(' › ')}</strong>
            <del>${before === undefined ? 'nothing' : showValue(before)}</del>
            <span aria-hidden="true">→</span><span class="hp-hidden">becomes</span>
            <ins>${after === undefined ? 'nothing' : showValue(after)}</ins>
          </li>`,
      )}
    </ul>
  </section>`;
}

function changesOf(card: CardContext): readonly Change[] {
  const edited = card.form('edits')?.current;
  return edited === undefined ? [] : changesBetween(card.facts.args ?? {}, edited);
}

async function giveApproval(card: CardContext): Promise<void> {
  const { facts, draft, interrupt } = card;
  const edits = draft.editing === true ? await card.form('edits')?.submit() : undefined;
  if (edits?.ok === false) return;
  const extras = await card.form('extras')?.submit();
  if (extras?.ok === false) return;
  const { confirmation } = facts;
  if (confirmation !== undefined && draft.phrase !== confirmation) {
    card.setProblem('phrase', `Type “${confirmation}” exactly as it is written.`);
    return;
  }
  if (facts.isDestructive && confirmation === undefined && card.asking !== 'approve') {
    card.ask('approve');
    return;
  }
  const hasChanges = edits !== undefined && changesOf(card).length > 0;
  const reason = draft.reason?.trim() ?? '';
  const more = {
    ...(isRecord(extras?.value) ? extras.value : {}),
    ...(hasChanges ? { editedArgs: edits.value } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(confirmation === undefined ? {} : { confirmation }),
    ...rememberOf(card),
  };
  card.send(approve(interrupt, more));
}

function giveRejection(card: CardContext): void {
  const { facts, draft, interrupt } = card;
  const reason = draft.reason?.trim() ?? '';
  if (reason === '' && facts.requiresReason) {
    card.setProblem('reason', 'Say why, so that the agent can do better.');
    return;
  }
  card.send(reject(interrupt, reason === '' ? undefined : reason));
}
