import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { ControlNames, FieldControl } from './field-control.ts';
import type { Draft, FieldOf, Option } from './field.ts';

interface ChoiceShown<Kind extends 'choice' | 'several'> {
  readonly field: FieldOf<Kind>;
  readonly draft: Draft;
  readonly path: readonly (string | number)[];
}

/** More options than this are a list to unfold. */
const MANY = 7;

/** One of several: buttons to choose from, or a list where there are many. */
export function renderChoice(
  { field, draft, path }: ChoiceShown<'choice'>,
  control: FieldControl,
  names: ControlNames,
): TemplateResult {
  if (field.options.length > MANY) {
    return html`<select
      class="hp-input"
      id="${names.id}-list"
      aria-label=${field.label === '' ? 'Answer' : field.label}
      aria-invalid=${names.problem === undefined ? nothing : 'true'}
      ?disabled=${control.disabled}
      @change=${(event: Event) => {
        const { value } = event.target as HTMLSelectElement;
        control.set(path, value === '' ? undefined : Number(value));
      }}
    >
      <option value="" ?selected=${draft === undefined}>Choose …</option>
      ${field.options.map(
        ({ label }, place) => html`<option value=${place} ?selected=${draft === place}>${label}</option>`,
      )}
    </select>`;
  }
  return html`<div class="hp-options">
    ${field.options.map((option, place) =>
      renderOption(option, {
        type: 'radio',
        name: names.id,
        id: `${names.id}-${place}`,
        checked: draft === place,
        disabled: control.disabled,
        onChange: () => control.set(path, place),
      }),
    )}
  </div>`;
}

/** Any number of several. */
export function renderSeveral(
  { field, draft, path }: ChoiceShown<'several'>,
  control: FieldControl,
  names: ControlNames,
): TemplateResult {
  const places = Array.isArray(draft) ? (draft as readonly Draft[]) : [];
  return html`<div class="hp-options">
    ${field.options.map((option, place) =>
      renderOption(option, {
        type: 'checkbox',
        name: names.id,
        id: `${names.id}-${place}`,
        checked: places.includes(place),
        disabled: control.disabled,
        onChange: (checked) =>
          control.set(path, checked ? [...places, place] : places.filter((one) => one !== place)),
      }),
    )}
  </div>`;
}

function renderOption(
  { label }: Option,
  given: {
    readonly type: 'radio' | 'checkbox';
    readonly name: string;
    readonly id: string;
    readonly checked: boolean;
    readonly disabled: boolean;
    readonly onChange: (checked: boolean) => void;
  },
): TemplateResult {
  return html`<label class="hp-check hp-option" for=${given.id}>
    <input
      type=${given.type}
      name=${given.name}
      id=${given.id}
      .checked=${given.checked}
      ?disabled=${given.disabled}
      @change=${(event: Event) => given.onChange((event.target as HTMLInputElement).checked)}
    />
    <span>${label}</span>
  </label>`;
}
