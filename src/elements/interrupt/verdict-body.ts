import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { isRecord } from '../../core/index.ts';
import { answer, isApprovable } from '../../client/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { visibleText } from '../base/visible-text.ts';
import { shortText, toWords } from '../base/words.ts';
import { toField } from '../form/to-field.ts';
import type { Option } from '../form/field.ts';
import type { CardContext } from './card-context.ts';
import {
  about,
  actionButton,
  cancelButton,
  cardForm,
  folded,
  rejectButton,
  rejectionStep,
  sendHint,
} from './card-parts.ts';
import { NO, YES } from './decision.ts';
import { outputButton } from './output-step.ts';
import { asksForSecrets } from './drafts.ts';
import { translate } from '../base/strings.ts';

/** A decision with a few possible words, and its optional members. */
export interface Verdict {
  readonly member: string;
  readonly options: readonly Option[];
  /** The other members; all are optional. */
  readonly others: readonly string[];
}

/** The verdict of an interrupt; undefined when the answer is more than one word, and then a form is shown. */
export function verdictOf({ interrupt }: Pick<CardContext, 'interrupt'>): Verdict | undefined {
  const { responseSchema } = interrupt;
  if (responseSchema === undefined) return undefined;
  const form = toField(responseSchema, { name: '', required: true, root: responseSchema });
  if (form.kind !== 'object') return undefined;
  const [decision, ...more] = form.fields.filter(({ required }) => required);
  if (decision?.kind !== 'choice' || decision.allowsOther === true || more.length > 0) return undefined;
  const words = decision.options.map(({ value }) => String(value));
  if (words.length > 4 || !words.some((word) => YES.test(word)) || !words.some((word) => NO.test(word)))
    return undefined;
  const others = form.fields.map(({ name }) => name).filter((name) => name !== decision.name);
  return { member: decision.name, options: decision.options, others };
}

/** True for an interrupt that asks for a value: people read it as a question, not as a request. */
export function isQuestion(interrupt: Interrupt): boolean {
  const isDecision = isApprovable(interrupt) || interrupt.reason === InterruptReason.ErrorRecovery;
  return !isDecision && verdictOf({ interrupt }) === undefined;
}

/** Renders one button per word. */
export function verdictBody(card: CardContext, { member, options, others }: Verdict): TemplateResult {
  const { facts } = card;
  const { responseSchema } = card.interrupt;
  const [only = ''] = others;
  const label =
    others.length === 1 ? translate('Add {0}', toWords(only).toLowerCase()) : translate('Add details');
  // A verdict may have several words for no, such as "deny" and "abort".
  const no = options.find(({ value }) => card.asking === `reject ${String(value)}`);
  if (no !== undefined) {
    return html`${about(card)}
    ${rejectionStep(card, {
      reason:
        others.length === 0
          ? nothing
          : cardForm(card, {
              name: 'rejection',
              schema: without(responseSchema ?? {}, member),
              draft: card.draft.form,
            }),
      label: labelOf(String(no.value)),
      run: () => decide(card, { [member]: no.value }, 'rejection'),
    })}`;
  }
  const yesLabel = (word: string) => facts.verb ?? labelOf(word);
  const yes = options.map(({ value }) => String(value)).find((word) => YES.test(word));
  return html`
    ${about(card)}
    ${
      others.length === 0 || responseSchema === undefined
        ? nothing
        : html`<div class="hp-folds">
            ${folded(
              only === 'reason' && others.length === 1 ? translate('Add a reason') : label,
              card.draft.form !== undefined,
              {
                content: html`${cardForm(card, { name: 'form', schema: without(responseSchema, member) })}
                ${yes === undefined ? nothing : sendHint(yesLabel(yes))}`,
                entered: enteredWords(card),
              },
            )}
          </div>`
    }
    <div class="hp-actions">
      ${options.map(({ value }) => {
        const word = String(value);
        const isYes = YES.test(word);
        const isNo = NO.test(word);
        if (isNo)
          return rejectButton(card, { label: labelOf(word), kind: 'hp-danger', asks: `reject ${word}` });
        return actionButton(card, {
          action: isYes ? 'approve' : 'choose',
          label: isYes ? yesLabel(word) : labelOf(word),
          ...(isYes ? { icon: 'check' } : {}),
          kind: isYes ? 'hp-primary' : '',
          isPrimary: isYes,
          run: () => decide(card, { [member]: value }),
        });
      })}
      ${outputButton(card)} ${cancelButton(card)}
    </div>
  `;
}

/** "Reason: known address", the entered values of the optional members. */
function enteredWords({ draft: { form }, interrupt }: CardContext): string {
  if (!isRecord(form)) return '';
  const isSecret = asksForSecrets(interrupt.responseSchema);
  return Object.entries(form)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${toWords(name)}: ${isSecret ? '••••••' : shortText(value)}`)
    .join(' · ');
}

/** The label of a button: the verb of the decided word. */
function labelOf(word: string): string {
  if (/^approved$/i.test(word)) return translate('Approve');
  if (/^rejected$/i.test(word)) return translate('Reject');
  return visibleText(toWords(word));
}

function without(schema: Readonly<Record<string, unknown>>, member: string) {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== member)),
    required: [],
  };
}

async function decide(
  card: CardContext,
  verdict: Readonly<Record<string, unknown>>,
  form: 'form' | 'rejection' = 'form',
): Promise<void> {
  const rest = await card.form(form)?.submit();
  if (rest?.ok === false) return;
  card.send(answer(card.interrupt, { ...(isRecord(rest?.value) ? rest.value : {}), ...verdict }));
}
