import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { childPointer } from '../../core/index.ts';
import { icon } from '../base/icon.ts';
import { draftAt, draftFrom } from './draft.ts';
import type { ControlNames, FieldControl } from './field-control.ts';
import { controlId } from './field-control.ts';
import type { Draft, Field, FieldOf } from './field.ts';
import { renderChoice, renderSeveral } from './render-choice.ts';
import { renderFile } from './render-file.ts';
import { renderText } from './render-text.ts';
import { translate } from '../base/strings.ts';

/** A field and its position in the form. */
export interface FieldShown<Shown extends Field = Field> {
  readonly field: Shown;
  readonly draft: Draft;
  readonly path: readonly (string | number)[];
}

/** Renders a field with its label, description and problem. */
export function renderField(shown: FieldShown, control: FieldControl): TemplateResult {
  const { field, path } = shown;
  const pointer = path.reduce<string>(childPointer, '');
  const id = controlId(control.formId, pointer);
  const problem = control.problemAt(pointer);
  const texts = [
    ...(field.description === undefined ? [] : [`${id}-about`]),
    ...(problem === undefined ? [] : [`${id}-problem`]),
  ];
  const names: ControlNames = { id, problem, describedBy: texts.length === 0 ? undefined : texts.join(' ') };
  const about = html`
    ${
      field.description === undefined
        ? nothing
        : html`<p class="hp-about" id="${id}-about">${field.description}</p>`
    }
    ${
      problem === undefined
        ? nothing
        : html`<p class="hp-problem" id="${id}-problem">${icon('alert')}${problem}</p>`
    }
  `;
  const isGroup = ['object', 'list', 'choice', 'several', 'file'].includes(field.kind);
  if (isGroup) {
    return html`<fieldset
      class="hp-field hp-group"
      id=${id}
      tabindex="-1"
      aria-describedby=${names.describedBy ?? nothing}
      ?data-invalid=${problem !== undefined}
    >
      <legend class=${field.label === '' ? 'hp-hidden' : 'hp-label'}>${label(field)}</legend>
      ${about} ${renderGroup(shown, control, names)}
    </fieldset>`;
  }
  if (field.kind === 'boolean' && field.required) {
    return html`<div class="hp-field">${renderCheckbox(shown, control, names)} ${about}</div>`;
  }
  return html`<div class="hp-field">
    <label class=${field.label === '' ? 'hp-hidden' : 'hp-label'} for=${id}>${label(field)}</label>
    ${renderText(shown, control, names)} ${about}
  </div>`;
}

function label(field: Field): TemplateResult {
  const optional = field.required ? nothing : html` <span>${translate('(optional)')}</span>`;
  return html`${field.label === '' ? translate('Answer') : field.label}${optional}`;
}

function renderGroup(shown: FieldShown, control: FieldControl, names: ControlNames): TemplateResult {
  const { field, draft, path } = shown;
  switch (field.kind) {
    case 'object':
      return html`${field.fields.map((one) =>
        renderField({ field: one, draft: draftAt(draft, one.name), path: [...path, one.name] }, control),
      )}`;
    case 'list':
      return renderList({ field, draft, path }, control);
    case 'choice':
      return renderChoice({ field, draft, path }, control, names);
    case 'several':
      return renderSeveral({ field, draft, path }, control, names);
    case 'file':
      return renderFile({ field, draft, path }, control, names);
    default:
      return html``;
  }
}

function renderList({ field, draft, path }: FieldShown<FieldOf<'list'>>, control: FieldControl) {
  const items = Array.isArray(draft) ? (draft as readonly Draft[]) : [];
  const name = field.label === '' ? translate('Item') : field.label;
  const isFull = field.maximum !== undefined && items.length >= field.maximum;
  return html`${items.map(
      (item, index) =>
        html`<div class="hp-item">
          ${renderField(
            {
              field: { ...field.item, label: `${name} ${index + 1}` },
              draft: item,
              path: [...path, index],
            },
            control,
          )}
          <button
            type="button"
            class="hp-button hp-quiet hp-square"
            ?disabled=${control.disabled}
            aria-label=${translate('Remove {0}', `${name} ${index + 1}`)}
            @click=${() =>
              control.set(
                path,
                items.filter((_, other) => other !== index),
              )}
          >
            ${icon('close')}
          </button>
        </div>`,
    )}
    <button
      type="button"
      class="hp-button hp-small"
      ?disabled=${control.disabled || isFull}
      @click=${() => control.set(path, [...items, draftFrom(field.item)])}
    >
      ${icon('plus')}${translate('Add {0}', name.toLowerCase())}
    </button>`;
}

function renderCheckbox({ field, draft, path }: FieldShown, control: FieldControl, names: ControlNames) {
  return html`<label class="hp-check">
    <input
      type="checkbox"
      id=${names.id}
      .checked=${draft === true}
      ?disabled=${control.disabled}
      aria-invalid=${names.problem === undefined ? nothing : 'true'}
      aria-describedby=${names.describedBy ?? nothing}
      @change=${(event: Event) => control.set(path, (event.target as HTMLInputElement).checked)}
    />
    <span>${field.label === '' ? translate('Yes') : field.label}</span>
  </label>`;
}
