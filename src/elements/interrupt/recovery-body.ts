import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import { answer } from '../../client/index.ts';
import { icon } from '../base/icon.ts';
import { toWords } from '../base/words.ts';
import { answerBody } from './answer-body.ts';
import type { CardContext } from './card-context.ts';
import { about, actionButton, cancelButton, cardForm } from './card-parts.ts';
import { changesBetween } from './changes.ts';
import { RECOVERY_WORDS } from './decision.ts';
import { type Text, translate } from '../base/strings.ts';

/** What happens after each action. */
const ABOUT: ReadonlyMap<string, Text> = new Map<string, Text>([
  ['finished', 'The call was made and is not repeated. You can enter its result.'],
  ['retry', 'The call is made again.'],
  ['skip', 'The call is left out, and the agent continues without it.'],
  ['abort', 'The agent learns that the call failed.'],
  ['restart', 'The tool runs again, with the answers it already has.'],
]);

/** The body of a recovery: a call failed, or its outcome is unknown, and the reviewer decides how to continue. */
export function recoveryBody(card: CardContext): TemplateResult {
  const properties = card.interrupt.responseSchema?.['properties'];
  const action = isRecord(properties) && isRecord(properties['action']) ? properties['action'] : undefined;
  const actions: readonly unknown[] = Array.isArray(action?.['enum']) ? action['enum'] : [];
  if (!isRecord(properties) || actions.length === 0) return answerBody(card);
  const chosen = card.draft.action ?? '';
  const { editedArgs, result } = properties;
  const takesResult = (chosen === 'finished' || chosen === 'skip') && isRecord(result);
  const problem = card.problemWith('action');
  return html`
    ${
      chosen === 'retry' && isRecord(editedArgs)
        ? cardForm(card, { name: 'edits', schema: editedArgs, value: card.facts.args })
        : about(card)
    }
    <fieldset class="hp-field hp-group" tabindex="-1" ?data-invalid=${problem !== undefined}>
      <legend class="hp-label">${translate('What should happen?')}</legend>
      ${problem === undefined ? nothing : html`<p class="hp-problem">${icon('alert')}${problem}</p>`}
      <div class="hp-options">${actions.map((one) => renderAction(card, String(one)))}</div>
    </fieldset>
    ${takesResult ? cardForm(card, { name: 'form', schema: resultSchema(result) }) : nothing}
    <div class="hp-actions">
      ${actionButton(card, {
        action: 'send',
        label: translate('Send decision'),
        icon: 'check',
        kind: 'hp-primary',
        isPrimary: true,
        run: () => decide(card, chosen),
      })}
      ${cancelButton(card)}
    </div>
  `;
}

function renderAction(card: CardContext, name: string): TemplateResult {
  const id = `${card.id}-action-${name}`;
  const label = RECOVERY_WORDS.get(name);
  const about = ABOUT.get(name);
  return html`<label class="hp-check hp-option" for=${id}>
    <input
      type="radio"
      id=${id}
      name="${card.id}-action"
      .checked=${card.draft.action === name}
      aria-disabled=${card.isLocked ? 'true' : nothing}
      @change=${() => {
        if (!card.isLocked) card.update({ action: name });
      }}
    />
    <span>
      ${label === undefined ? toWords(name) : translate(label)}${about === undefined ? nothing : html`<small>${translate(about)}</small>`}
    </span>
  </label>`;
}

/** The result of a call is any JSON and optional. */
function resultSchema(result: UnknownRecord): UnknownRecord {
  return { type: 'object', properties: { result: { title: translate('Result'), ...result } } };
}

async function decide(card: CardContext, action: string): Promise<void> {
  if (action === '') {
    card.setProblem('action', translate('Choose what should happen.'));
    return;
  }
  const edits = await card.form('edits')?.submit();
  const result = await card.form('form')?.submit();
  if (edits?.ok === false || result?.ok === false) return;
  const isEdited = edits !== undefined && changesBetween(card.facts.args ?? {}, edits.value).length > 0;
  card.send(
    answer(card.interrupt, {
      action,
      ...(isRecord(result?.value) ? result.value : {}),
      ...(isEdited ? { editedArgs: edits.value } : {}),
    }),
  );
}
