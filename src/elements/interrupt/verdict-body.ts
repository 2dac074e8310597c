import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { isRecord } from '../../core/index.ts';
import { answer } from '../../client/index.ts';
import { icon } from '../base/icon.ts';
import { toWords } from '../base/words.ts';
import { toField } from '../form/to-field.ts';
import type { Option } from '../form/field.ts';
import type { CardContext } from './card-context.ts';
import { about, cancelButton, cardForm } from './card-parts.ts';

/** A decision with a few possible words, and its optional members. */
export interface Verdict {
  readonly member: string;
  readonly options: readonly Option[];
  /** The other members; all are optional. */
  readonly others: readonly string[];
}

const YES = /^(?:approved?|accept(?:ed)?|yes|ok|confirm(?:ed)?|allow(?:ed)?|continue)$/i;
const NO = /^(?:reject(?:ed)?|den(?:y|ied)|no|declined?|refused?|abort(?:ed)?)$/i;

/** The verdict of an interrupt; undefined when the answer is more than one word, and then a form is shown. */
export function verdictOf({ interrupt }: CardContext): Verdict | undefined {
  const { responseSchema } = interrupt;
  if (responseSchema === undefined) return undefined;
  const form = toField(responseSchema, { name: '', required: true, root: responseSchema });
  if (form.kind !== 'object') return undefined;
  const [decision, ...more] = form.fields.filter(({ required }) => required);
  if (decision?.kind !== 'choice' || more.length > 0) return undefined;
  const words = decision.options.map(({ value }) => String(value));
  if (words.length > 4 || !words.some((word) => YES.test(word)) || !words.some((word) => NO.test(word)))
    return undefined;
  const others = form.fields.map(({ name }) => name).filter((name) => name !== decision.name);
  return { member: decision.name, options: decision.options, others };
}

/** Renders one button per word. */
export function verdictBody(card: CardContext, { member, options, others }: Verdict): TemplateResult {
  const { responseSchema } = card.interrupt;
  return html`
    ${about(card)}
    ${
      others.length === 0 || responseSchema === undefined
        ? nothing
        : cardForm(card, { name: 'form', schema: without(responseSchema, member) })
    }
    <div class="hp-actions">
      ${options.map(({ value }) => {
        const word = String(value);
        const isYes = YES.test(word);
        const isNo = NO.test(word);
        return html`<button
          type="button"
          class="hp-button ${isYes ? 'hp-primary' : isNo ? 'hp-danger' : ''}"
          data-action=${isYes ? 'approve' : isNo ? 'reject' : 'choose'}
          ?data-primary=${isYes}
          ?disabled=${card.isLocked}
          @click=${() => card.act(() => decide(card, { [member]: value }))}
        >
          ${isYes ? icon('check') : isNo ? icon('ban') : nothing}${labelOf(word)}
        </button>`;
      })}
      ${cancelButton(card)}
    </div>
  `;
}

/** The label of a button: the verb of the decided word. */
function labelOf(word: string): string {
  if (/^approved$/i.test(word)) return 'Approve';
  if (/^rejected$/i.test(word)) return 'Reject';
  return toWords(word);
}

function without(schema: Readonly<Record<string, unknown>>, member: string) {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== member)),
    required: [],
  };
}

async function decide(card: CardContext, verdict: Readonly<Record<string, unknown>>): Promise<void> {
  const rest = await card.form('form')?.submit();
  if (rest?.ok === false) return;
  card.send(answer(card.interrupt, { ...(isRecord(rest?.value) ? rest.value : {}), ...verdict }));
}
