import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { UnknownRecord } from '../../core/index.ts';
import { canonicalJson, isRecord, pointerTokens } from '../../core/index.ts';
import { cancel } from '../../client/index.ts';
import type { IconName } from '../base/icon.ts';
import { icon } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import type { Draft } from '../form/field.ts';
import { wantedFiles } from '../form/file-rules.ts';
import type { CardContext } from './card-context.ts';
import { showMembers, showValue } from './show-value.ts';
import { toWords } from '../base/words.ts';
import { translate } from '../base/strings.ts';

/** A form of a card; its draft is stored under the form's name. */
export function cardForm(
  card: CardContext,
  field: {
    readonly name: 'form' | 'edits' | 'extras' | 'output' | 'rejection';
    readonly schema: UnknownRecord;
    readonly value?: unknown;
    /** What the form shows before a person changes it. Default: the value, or the defaults of the schema. */
    readonly draft?: Draft;
    readonly only?: readonly string[];
  },
): TemplateResult {
  const { name, schema, value, only } = field;
  return html`${card.isUnsent && card.draft[name] !== undefined ? html`<p class="hp-caption">${translate('These entries were not sent:')}</p>` : nothing}<holdpoint-form
      class="hp-form"
      data-form=${name}
      .schema=${schema}
      .value=${value}
      .draft=${card.draft[name] ?? field.draft}
      .only=${only}
      .keepEmpty=${name === 'edits'}
      .disabled=${card.isLocked}
      .upload=${card.upload}
      .files=${wantedFiles(card.interrupt)}
      @holdpoint-draft=${(event: CustomEvent<Draft>) => {
        event.stopPropagation();
        card.update({ [name]: event.detail });
      }}
    ></holdpoint-form>`;
}

/** A text field of the card itself, such as the reason. A locked card makes it read-only: a disabled one loses the focus. */
export function cardText(
  card: CardContext,
  field: {
    readonly name: 'reason' | 'rejection' | 'phrase' | 'maxUses' | 'maxTotal';
    readonly label: TemplateResult | string;
    /** The shown text. Default: the entered one. */
    readonly text?: string;
    readonly inputMode?: 'decimal';
    /** What Ctrl+Enter does from this field. Default: not said. */
    readonly sends?: string;
  },
): TemplateResult {
  const { name, label } = field;
  // A key sends nothing from a card whose request was decided.
  const sends = card.isUnsent ? undefined : field.sends;
  const id = `${card.id}-${name}`;
  const problem = card.problemWith(name);
  const entered = card.draft[name];
  const text = field.text ?? (typeof entered === 'string' ? entered : '');
  return html`<div class="hp-field">
    <label class="hp-label" for=${id}
      >${label}${card.isUnsent && text !== '' ? html` <strong>${translate('(not sent)')}</strong>` : nothing}</label
    >
    <input
      class="hp-input"
      type="text"
      id=${id}
      inputmode=${field.inputMode ?? nothing}
      autocomplete="off"
      .value=${text}
      ?readonly=${card.isLocked}
      aria-invalid=${problem === undefined ? nothing : 'true'}
      aria-describedby=${problem !== undefined ? `${id}-problem` : sends === undefined ? nothing : `${id}-keys`}
      @input=${(event: Event) => card.update({ [name]: (event.target as HTMLInputElement).value })}
    />
    ${
      problem === undefined
        ? nothing
        : html`<p class="hp-problem" id="${id}-problem">${icon('alert')}${problem}</p>`
    }
    ${sends === undefined ? nothing : sendHint(sends, `${id}-keys`)}
  </div>`;
}

/** "Ctrl+Enter: Send $1,000": a reason reads like a reply, but the key approves whatever the words say. */
export function sendHint(sends: string, id?: string): TemplateResult {
  return html`<p class="hp-muted hp-keys-hint" id=${id ?? nothing}>
    ${translate('Ctrl+Enter: {0}', sends)}
  </p>`;
}

/**
 * A button of a card. A locked card ignores it and says so with `aria-disabled`; a button that is `disabled` would
 * lose the focus.
 */
export function actionButton(
  card: CardContext,
  button: {
    readonly action: string;
    readonly label: TemplateResult | string;
    readonly icon?: IconName;
    /** Further classes, such as `hp-primary`. */
    readonly kind?: string;
    readonly isPrimary?: boolean;
    readonly title?: string;
    readonly run: () => Promise<void> | void;
  },
): TemplateResult {
  const { action, label, kind = '', title } = button;
  return html`<button
    type="button"
    class="hp-button ${kind}"
    data-action=${action}
    ?data-primary=${button.isPrimary === true}
    aria-disabled=${card.isLocked ? 'true' : nothing}
    title=${title ?? nothing}
    @click=${({ detail }: MouseEvent) => {
      // The second click of a double click may hit the next card, which stands in the same place.
      if (detail <= 1) card.act(button.run);
    }}
  >
    ${button.icon === undefined ? nothing : icon(button.icon)}${label}
  </button>`;
}

/**
 * A part of a card that stays folded until a person wants it, or until it has a problem. A person who opens it can type at once.
 * Once it is closed, its line shows `entered`: the values that are sent.
 */
export function folded(
  label: string,
  isOpen: boolean,
  { content, entered = '' }: { readonly content: TemplateResult; readonly entered?: string },
): TemplateResult {
  const toggle = (event: Event) => {
    const details = (event.currentTarget as HTMLElement).parentElement as HTMLDetailsElement;
    // Opened here, because the browser would open it too late for the next key.
    event.preventDefault();
    details.open = !details.open;
    if (details.open) details.querySelector<HTMLElement>('input, textarea, select')?.focus();
  };
  return html`<details class="hp-fold" ?open=${isOpen}>
    <summary @click=${toggle}>
      ${icon('down')}<span class="hp-fold-label">${label}</span>
      ${entered === '' ? nothing : html`<span class="hp-fold-entered">${visibleText(entered)}</span>`}
    </summary>
    ${content}
  </details>`;
}

/**
 * The button of a rejection asks for a reason and decides nothing: a person who presses it and types the reason types it into
 * the field, not into the keys of the next card.
 */
export function rejectButton(
  card: CardContext,
  button: { readonly label: string; readonly kind: string; readonly asks?: string },
): TemplateResult {
  const { asks = 'reject', ...rest } = button;
  return actionButton(card, {
    ...rest,
    action: 'reject',
    icon: 'ban',
    run: () => card.ask(asks),
    title: translate('The agent hears no, with your reason, and goes on'),
  });
}

/** The second step of a rejection: a field for the reason, and the button that sends it. */
export function rejectionStep(
  card: CardContext,
  step: {
    readonly reason: TemplateResult | typeof nothing;
    readonly label: string;
    readonly run: () => Promise<void> | void;
  },
): TemplateResult {
  return html`<div class="hp-rejecting" data-rejecting>
    ${step.reason}
    <div class="hp-actions">
      ${actionButton(card, {
        action: 'reject',
        label: step.label,
        icon: 'ban',
        kind: 'hp-danger hp-filled',
        isPrimary: true,
        run: step.run,
      })}
      ${actionButton(card, { action: 'back', label: translate('Back'), run: () => card.ask(undefined) })}
      <p class="hp-muted hp-keys-hint">${translate('Enter rejects, Escape goes back.')}</p>
    </div>
  </div>`;
}

/** Cancels the interrupt: no answer will come. A rejection is an answer and has its own button. */
export function cancelButton(card: CardContext, what: 'request' | 'question' = 'request'): TemplateResult {
  return actionButton(card, {
    action: 'cancel',
    label: translate(what === 'question' ? 'Cancel question' : 'Cancel request'),
    kind: 'hp-quiet hp-last',
    title: translate(
      what === 'question'
        ? 'Cancel this question: the agent gets no answer'
        : 'Cancel this request: the agent gets no answer, neither yes nor no',
    ),
    run: () => card.send(cancel(card.interrupt)),
  });
}

/** Renders the arguments of the asking call, without those that repeat the message or the options. */
export function about({ facts, interrupt }: CardContext): TemplateResult | typeof nothing {
  const { args, display } = facts;
  if (!isRecord(args)) return nothing;
  const options = canonicalJson(interrupt.responseSchema?.['enum'] ?? null);
  const rest = Object.entries(args).filter(
    ([, value]) => value !== interrupt.message && canonicalJson(value) !== options,
  );
  return html`${
    rest.length === 0
      ? nothing
      : html`<div class="hp-args">${showMembers(Object.fromEntries(rest), { display })}</div>`
  }${schemaEffect(facts)}`;
}

/** Says which arguments of the model the tool does not get, and whether it converts the others. */
export function schemaEffect({
  dropped = {},
  isConverted,
}: Pick<CardContext['facts'], 'dropped' | 'isConverted'>): TemplateResult {
  const members = Object.entries(dropped).map(([pointer, value]) => {
    const names = pointerTokens(pointer) ?? [pointer];
    return [names.map(toWords).join(' › '), value] as const;
  });
  return html`${
    isConverted
      ? html`<p class="hp-notice" data-converted>
          ${icon('alert')}<span
            >${translate('Converted by the tool: it reads these values in its own form when it runs.')}</span
          >
        </p>`
      : nothing
  }${
    members.length === 0
      ? nothing
      : html`<section class="hp-dropped" aria-label=${translate('Dropped')}>
          <p class="hp-caption">
            ${translate('Dropped: the agent wrote this, and the tool does not get it.')}
          </p>
          <dl class="hp-members">
            ${members.map(
              ([name, value]) =>
                html`<div>
                  <dt>${visibleText(name)}</dt>
                  <dd><del>${showValue(value, { depth: 1 })}</del></dd>
                </div>`,
            )}
          </dl>
        </section>`
  }`;
}
