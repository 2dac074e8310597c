import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import type { ControlNames, FieldControl } from './field-control.ts';
import type { Draft, FieldOf, Option } from './field.ts';
import { translate } from '../base/strings.ts';

interface ChoiceShown<Kind extends 'choice' | 'several'> {
  readonly field: FieldOf<Kind>;
  readonly draft: Draft;
  readonly path: readonly (string | number)[];
}

/** Above this number of options, a select replaces the radio buttons. */
const MANY = 7;

/** Renders a choice of one: radio buttons, or a select for many options. */
export function renderChoice(
  { field, draft, path }: ChoiceShown<'choice'>,
  control: FieldControl,
  names: ControlNames,
): TemplateResult {
  const isOther = field.allowsOther === true && typeof draft === 'string';
  const other = isOther ? renderOther({ text: draft, path }, control, names) : nothing;
  if (field.options.length > MANY) {
    return html`<select
        class="hp-input"
        id="${names.id}-list"
        aria-label=${field.label === '' ? translate('Answer') : field.label}
        aria-invalid=${names.problem === undefined ? nothing : 'true'}
        ?disabled=${control.disabled}
        @change=${(event: Event) => {
          const { value } = event.target as HTMLSelectElement;
          control.set(path, value === '' ? undefined : value === OTHER ? '' : Number(value));
        }}
      >
        <option value="" ?selected=${draft === undefined}>${translate('Choose …')}</option>
        ${field.options.map(
          ({ label }, index) => html`<option value=${index} ?selected=${draft === index}>${label}</option>`,
        )}
        ${field.allowsOther === true ? html`<option value=${OTHER} ?selected=${isOther}>${translate('Other …')}</option>` : nothing}
      </select>
      ${other}`;
  }
  return html`<div class="hp-options">
      ${field.options.map((option, index) =>
        renderOption(option, {
          type: 'radio',
          name: names.id,
          id: `${names.id}-${index}`,
          checked: draft === index,
          disabled: control.disabled,
          onChange: () => control.set(path, index),
        }),
      )}
      ${
        field.allowsOther === true
          ? renderOption(
              { value: undefined, label: translate('Other …') },
              {
                type: 'radio',
                name: names.id,
                id: `${names.id}-${OTHER}`,
                checked: isOther,
                disabled: control.disabled,
                onChange: () => control.set(path, ''),
              },
            )
          : nothing
      }
    </div>
    ${other}`;
}

/** The value of the option that stands for a text of one's own. */
const OTHER = 'other';

/** The field for a text that is no option. */
function renderOther(
  { text, path }: { readonly text: string; readonly path: readonly (string | number)[] },
  control: FieldControl,
  { id, problem, describedBy }: ControlNames,
): TemplateResult {
  return html`<input
    class="hp-input hp-other"
    type="text"
    id="${id}-text"
    aria-label=${translate('Other …')}
    autocomplete="off"
    .value=${live(text)}
    ?readonly=${control.disabled}
    aria-invalid=${problem === undefined ? nothing : 'true'}
    aria-describedby=${describedBy ?? nothing}
    @input=${(event: Event) => control.set(path, (event.target as HTMLInputElement).value)}
  />`;
}

/** Renders a choice of several as checkboxes. */
export function renderSeveral(
  { field, draft, path }: ChoiceShown<'several'>,
  control: FieldControl,
  names: ControlNames,
): TemplateResult {
  const indexes = Array.isArray(draft) ? (draft as readonly Draft[]) : [];
  return html`<div class="hp-options">
    ${field.options.map((option, index) =>
      renderOption(option, {
        type: 'checkbox',
        name: names.id,
        id: `${names.id}-${index}`,
        checked: indexes.includes(index),
        disabled: control.disabled,
        onChange: (checked) =>
          control.set(path, checked ? [...indexes, index] : indexes.filter((one) => one !== index)),
      }),
    )}
  </div>`;
}

function renderOption(
  { label }: Option,
  settings: {
    readonly type: 'radio' | 'checkbox';
    readonly name: string;
    readonly id: string;
    readonly checked: boolean;
    readonly disabled: boolean;
    readonly onChange: (checked: boolean) => void;
  },
): TemplateResult {
  return html`<label class="hp-check hp-option" for=${settings.id}>
    <input
      type=${settings.type}
      name=${settings.name}
      id=${settings.id}
      .checked=${settings.checked}
      ?disabled=${settings.disabled}
      @change=${(event: Event) => settings.onChange((event.target as HTMLInputElement).checked)}
    />
    <span>${label}</span>
  </label>`;
}
