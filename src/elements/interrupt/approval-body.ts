import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { defined, isRecord, pointerTokens } from '../../core/index.ts';
import { approve, reject } from '../../client/index.ts';
import { icon } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import { shortText, toWords } from '../base/words.ts';
import { writeChanged } from './amounts.ts';
import type { CardContext } from './card-context.ts';
import type { CardFacts } from './card-facts.ts';
import {
  actionButton,
  cancelButton,
  cardForm,
  cardText,
  folded,
  rejectButton,
  rejectionStep,
  schemaEffect,
} from './card-parts.ts';
import type { Change } from './changes.ts';
import { changesBetween } from './changes.ts';
import { isTrialRun } from './decision.ts';
import { limitProblem, rememberChoice, rememberOf } from './remember.ts';
import { showMembers, showValue } from './show-value.ts';
import { translate, translateParts } from '../base/strings.ts';

/** The body of an approval: approve, reject, edit the arguments, give a reason. */
export function approvalBody(card: CardContext): TemplateResult {
  const { facts, draft } = card;
  const isEditing = draft.editing === true && facts.editSchema !== undefined;
  const changes = isEditing ? changesOf(card) : [];
  const hasEntries = changes.length > 0 || draft.extras !== undefined;
  return html`
    ${
      isEditing && facts.editSchema !== undefined
        ? cardForm(card, { name: 'edits', schema: facts.editSchema, value: facts.args })
        : facts.args === undefined && facts.toolName === undefined
          ? nothing
          : html`<div class="hp-args">
              ${isRecord(facts.args) ? showMembers(facts.args, { display: facts.display }) : showValue(facts.args ?? {})}
            </div>`
    }
    ${schemaEffect(facts)} ${changes.length === 0 ? nothing : showChanges(changes, facts)}
    ${facts.extras === undefined ? nothing : cardForm(card, { name: 'extras', schema: facts.extras })}
    ${
      facts.confirmation === undefined
        ? nothing
        : cardText(card, {
            name: 'phrase',
            label: html`${translateParts(
              'Type {0} to approve',
              html`<code>${visibleText(facts.confirmation)}</code>`,
            )}`,
          })
    }
    ${card.asking === 'reject' || isRejectionUnsent(card) ? renderRejection(card, hasEntries) : renderChoices(card, { isEditing, changes: changes.length })}
  `;
}

/** True when another answer was first, and a person had typed the reason of a rejection: it stays in sight. */
function isRejectionUnsent({ isUnsent, draft }: CardContext): boolean {
  return isUnsent && typeof draft.rejection === 'string' && draft.rejection !== '';
}

function renderChoices(
  card: CardContext,
  options: { readonly isEditing: boolean; readonly changes: number },
): TemplateResult {
  const { facts } = card;
  // In a second look, the key does nothing.
  const sends = card.asking === 'approve' ? undefined : approveLabel(card, options.changes);
  return html`${facts.offersReason || facts.offersRemember ? renderFolds(card, sends) : nothing}
    <div class="hp-actions">
      ${card.asking === 'approve' ? secondLook(card) : renderDecisions(card, options)}
    </div>`;
}

function renderRejection(card: CardContext, hasEntries: boolean): TemplateResult {
  const { facts } = card;
  const label = facts.requiresReason
    ? translate('Reason')
    : html`${translate('Reason')} <span>${translate('(optional)')}</span>`;
  return rejectionStep(card, {
    reason: html`${
      hasEntries
        ? html`<p class="hp-notice">
            ${icon('alert')}<span
              >${translate('A rejection sends only its reason. What you entered above is not sent.')}</span
            >
          </p>`
        : nothing
    }
    ${
      facts.offersReason ? cardText(card, { name: 'rejection', label, text: rejectionReason(card) }) : nothing
    }`,
    label: translate('Reject'),
    run: () => giveRejection(card),
  });
}

function renderFolds(card: CardContext, sends: string | undefined): TemplateResult {
  const { facts, draft } = card;
  const label = translate(facts.requiresReason ? 'Add a reason (needed to reject)' : 'Add a reason');
  const reason = draft.reason?.trim() ?? '';
  return html`<div class="hp-folds">
    ${
      facts.offersReason
        ? folded(label, draft.reason !== undefined, {
            content: cardText(card, { name: 'reason', label: translate('Reason'), ...defined({ sends }) }),
            entered: reason === '' ? '' : `${translate('Reason')}: ${shortText(reason)}`,
          })
        : nothing
    }
    ${rememberChoice(card)}
  </div>`;
}

/** The label of the approving button: "Send $1,000", "Send $1,000 with 1 change", "Run as a trial". */
function approveLabel(card: CardContext, changes: number): string {
  const verb = isTrialOf(card) ? translate('Run as a trial') : (card.facts.verb ?? translate('Approve'));
  return changes === 0 ? verb : translate('{1} with {0} change|{1} with {0} changes', changes, verb);
}

function renderDecisions(
  card: CardContext,
  { isEditing, changes }: { readonly isEditing: boolean; readonly changes: number },
): TemplateResult {
  const { facts } = card;
  return html`${actionButton(card, {
    action: 'approve',
    label: approveLabel(card, changes),
    icon: 'check',
    kind: facts.isDestructive && !isTrialOf(card) ? 'hp-danger hp-filled' : 'hp-primary',
    isPrimary: true,
    run: () => giveApproval(card),
  })}
  ${rejectButton(card, {
    label: translate('Reject'),
    kind: facts.isDestructive ? '' : 'hp-danger',
  })}
  ${
    facts.editSchema === undefined
      ? nothing
      : actionButton(card, {
          // A name of its own: the key of `edit` must not discard anything.
          action: isEditing ? 'discard' : 'edit',
          label: translate(isEditing ? 'Discard edits' : 'Edit'),
          icon: 'edit',
          run: () => card.edit(!isEditing),
        })
  }
  ${cancelButton(card)}`;
}

/** True when the values to send ask for a trial run by a member that a schema of the interrupt declares. */
function isTrialOf(card: CardContext): boolean {
  const edits = card.draft.editing === true ? card.form('edits') : undefined;
  const isTrial = edits === undefined ? card.facts.isTrial : isTrialRun(edits.current);
  return isTrial || isTrialRun(card.form('extras')?.current);
}

/** An action that cannot be undone needs a second press. */
function secondLook(card: CardContext): TemplateResult {
  const { verb } = card.facts;
  const warning =
    card.undoMs > 0
      ? translate('After {0} seconds this cannot be undone.', Math.round(card.undoMs / 1000))
      : translate('This cannot be undone.');
  return html`<p class="hp-second-look">${icon('alert')}${warning}</p>
    ${actionButton(card, {
      action: 'confirm',
      label: verb === undefined ? translate('Yes, approve') : translate('Yes: {0}', verb),
      kind: 'hp-danger hp-filled',
      run: () => giveApproval(card),
    })}
    ${actionButton(card, { action: 'back', label: translate('Back'), run: () => card.ask(undefined) })}`;
}

/** The differences, field by field, with amounts as the card writes them. */
export function showChanges(
  changes: readonly Change[],
  facts: Pick<CardFacts, 'display' | 'title' | 'headline'>,
): TemplateResult {
  return html`<section class="hp-changes" aria-label=${translate('Changes')}>
    <p class="hp-caption">${translate('{0} change|{0} changes', changes.length)}</p>
    <ul>
      ${changes.map((change) => {
        const names = pointerTokens(change.pointer) ?? [];
        const show = (value: unknown) =>
          value === undefined
            ? translate('nothing')
            : showValue(writeChanged(facts, { ...change, name: names.join('/'), after: value }) ?? value);
        return html`<li>
          <strong>${names.map(toWords).join(' › ')}</strong>
          <del>${show(change.before)}</del>
          <span aria-hidden="true">→</span> <span class="hp-hidden">${translate('becomes')}</span>
          <ins>${show(change.after)}</ins>
        </li>`;
      })}
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
    card.setProblem('phrase', translate('Type “{0}” exactly as it is written.', visibleText(confirmation)));
    return;
  }
  const unread = limitProblem(card);
  if (unread !== undefined) {
    card.setProblem(unread.name, unread.text);
    return;
  }
  const asksTwice = facts.isDestructive && confirmation === undefined && !isTrialOf(card);
  if (asksTwice && card.asking !== 'approve') {
    card.ask('approve');
    return;
  }
  const hasChanges = edits !== undefined && changesOf(card).length > 0;
  const reason = draft.reason?.trim() ?? '';
  const more = {
    ...(isRecord(extras?.value) ? extras.value : {}),
    ...(hasChanges ? { editedArgs: edits.value } : {}),
    ...(reason === '' ? {} : { reason }),
    ...defined({ confirmation }),
    ...rememberOf(card),
  };
  card.send(approve(interrupt, more));
}

/** The reason of a rejection: begins with the reason that was entered before Reject was pressed. */
function rejectionReason({ draft }: CardContext): string {
  return typeof draft.rejection === 'string' ? draft.rejection : (draft.reason ?? '');
}

function giveRejection(card: CardContext): void {
  const { facts, interrupt } = card;
  const reason = rejectionReason(card).trim();
  if (reason === '' && facts.requiresReason) {
    card.setProblem('rejection', translate('Say why, so that the agent can do better.'));
    return;
  }
  card.send(reject(interrupt, reason === '' ? undefined : reason));
}
