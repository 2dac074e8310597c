import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { childPointer } from '../../core/index.ts';
import type { ControlNames, FieldControl } from './field-control.ts';
import type { Draft, Field, FieldOf } from './field.ts';
import { takenAs } from './read-draft.ts';
import { translate } from '../base/strings.ts';

interface TextShown {
  readonly field: Field;
  readonly draft: Draft;
  readonly path: readonly (string | number)[];
}

/**
 * Renders a control for one typed value: a line, lines, a number, JSON, or yes, no and unset. A text is read-only where
 * the form is disabled, so that it keeps the focus.
 */
export function renderText(shown: TextShown, control: FieldControl, names: ControlNames): TemplateResult {
  const { field, draft, path } = shown;
  const text = typeof draft === 'string' ? draft : '';
  const set = (event: Event) => control.set(path, (event.target as HTMLInputElement).value);
  const invalid = names.problem === undefined ? nothing : 'true';
  const described = names.describedBy ?? nothing;
  if (field.kind === 'boolean') {
    return html`<select
      class="hp-input"
      id=${names.id}
      ?disabled=${control.disabled}
      aria-describedby=${described}
      @change=${(event: Event) => control.set(path, YES_NO.get((event.target as HTMLSelectElement).value))}
    >
      <option value="" ?selected=${draft === undefined}>${translate('Not chosen')}</option>
      <option value="yes" ?selected=${draft === true}>${translate('Yes')}</option>
      <option value="no" ?selected=${draft === false}>${translate('No')}</option>
    </select>`;
  }
  if (field.kind === 'json' || (field.kind === 'text' && field.input === 'lines')) {
    const isJson = field.kind === 'json' && field.takesText !== true;
    const placeholder =
      field.kind !== 'json'
        ? undefined
        : translate(isJson ? 'JSON, such as {0}' : 'Text, or JSON such as {0}', '{"a": 1}');
    return html`<textarea
        class="hp-input ${isJson ? 'hp-code' : ''}"
        id=${names.id}
        rows=${Math.min(12, Math.max(3, text.split('\n').length))}
        .value=${text}
        ?readonly=${control.disabled}
        spellcheck=${isJson ? 'false' : 'true'}
        placeholder=${placeholder ?? nothing}
        aria-required=${field.required ? 'true' : nothing}
        aria-invalid=${invalid}
        aria-describedby=${described}
        @input=${set}
      ></textarea
      >${field.kind === 'json' && field.takesText === true ? renderTaken(field, draft, names) : nothing}`;
  }
  // A number is typed as text: a number input would drop unreadable text instead of reporting it. A date that is typed in part
  // has no value: without "live", the empty draft would clear its other parts.
  return html`<input
    class="hp-input"
    id=${names.id}
    type=${field.kind === 'text' ? field.input : 'text'}
    data-pointer=${path.reduce<string>(childPointer, '')}
    inputmode=${field.kind === 'number' ? 'decimal' : nothing}
    .value=${live(text)}
    ?readonly=${control.disabled}
    placeholder=${field.kind === 'text' ? (field.placeholder ?? nothing) : nothing}
    autocomplete=${autocomplete(field)}
    aria-required=${field.required ? 'true' : nothing}
    aria-invalid=${invalid}
    aria-describedby=${described}
    @input=${set}
  />`;
}

/** Says what the entered words are sent as. */
function renderTaken(field: FieldOf<'json'>, draft: Draft, { id }: ControlNames): TemplateResult {
  const taken = takenAs(field, draft);
  return html`<p class="hp-muted hp-taken" id="${id}-taken" role="status">
    ${taken === undefined ? nothing : translate(taken === 'text' ? 'Sent as text.' : 'Sent as JSON.')}
  </p>`;
}

const YES_NO: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['no', false],
]);

function autocomplete(field: Field): string {
  if (field.kind !== 'text') return 'off';
  if (field.input === 'email') return 'email';
  return field.input === 'password' ? 'new-password' : 'off';
}
