import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { childPointer } from '../../core/index.ts';
import { icon } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import type { ControlNames, FieldControl } from './field-control.ts';
import type { Draft, FieldOf } from './field.ts';
import { isUploadedFile } from './field.ts';
import { language, type Text, translate } from '../base/strings.ts';

interface FileShown {
  readonly field: FieldOf<'file'>;
  readonly draft: Draft;
  readonly path: readonly (string | number)[];
}

/** Renders a file field: the rules, the progress, and a button to remove the file. */
export function renderFile(
  { field, draft, path }: FileShown,
  control: FieldControl,
  names: ControlNames,
): TemplateResult {
  const { accept, maxBytes } = field.file;
  const progress = control.progressAt(path.reduce<string>(childPointer, ''));
  if (isUploadedFile(draft)) {
    return html`<p class="hp-file">
      ${icon('file')}<span>${visibleText(draft.name)}</span><span class="hp-muted">${bytes(draft.size)}</span>
      <button
        type="button"
        class="hp-button hp-small"
        aria-label=${translate('Remove {0}', visibleText(draft.name))}
        ?disabled=${control.disabled}
        @click=${() => control.set(path, undefined)}
      >
        ${translate('Remove')}
      </button>
    </p>`;
  }
  if (progress !== undefined) {
    return html`<p class="hp-file">
      <progress max="1" .value=${progress} aria-label=${translate('Upload')}></progress>
      <span>${Math.round(progress * 100)} %</span>
    </p>`;
  }
  const limits = [
    ...(accept === undefined ? [] : [fileKinds(accept)]),
    ...(maxBytes === undefined ? [] : [translate('at most {0}', bytes(maxBytes))]),
  ].join(', ');
  return html`<input
      class="hp-input"
      id="${names.id}-file"
      type="file"
      aria-label=${field.label === '' ? translate('File') : field.label}
      accept=${accept ?? nothing}
      ?disabled=${control.disabled || control.upload === undefined}
      aria-invalid=${names.problem === undefined ? nothing : 'true'}
      @change=${(event: Event) => {
        const [file] = (event.target as HTMLInputElement).files ?? [];
        if (file !== undefined) control.startUpload(path, file);
      }}
    />
    ${limits === '' ? nothing : html`<p class="hp-about">${limits}</p>`}`;
}

/** A size in bytes, kB or MB: "5.2 MB", in German "5,2 MB". */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  const write = (value: number, digits: number) =>
    value.toLocaleString(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return size < 1_000_000 ? `${write(size / 1000, 0)} kB` : `${write(size / 1_000_000, 1)} MB`;
}

const KINDS: ReadonlyMap<string, Text> = new Map<string, Text>([
  ['application/pdf', 'PDF'],
  ['image/*', 'image'],
  ['audio/*', 'audio'],
  ['video/*', 'video'],
  ['text/plain', 'plain text'],
]);

/** The accepted kinds of files in words; a media type without a word is shown as it is. */
export function fileKinds(accept: string): string {
  const types = accept.split(',').map((type) => type.trim());
  return types
    .map((type) => {
      const known = KINDS.get(type);
      return known === undefined ? type : translate(known);
    })
    .join(', ');
}
