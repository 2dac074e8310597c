import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { Issue } from '../../core/index.ts';
import { childPointer, isAcceptedFile, messageOf, pointerTokens } from '../../core/index.ts';
import { HoldpointElement } from '../base/holdpoint-element.ts';
import { icon } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import { checkValue, toSentence } from './check-value.ts';
import { draftAt, draftFrom, withDraft } from './draft.ts';
import type { FieldControl, Upload } from './field-control.ts';
import type { Draft, Field, FieldOf, FileRules } from './field.ts';
import { readDraft } from './read-draft.ts';
import { renderField } from './render-field.ts';
import { bytes, fileKinds } from './render-file.ts';
import { toField } from './to-field.ts';
import { translate } from '../base/strings.ts';

let forms = 0;

/** The result of a form: a valid value, or nothing, and then the first problem has the focus. */
export type FormResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

/**
 * `<holdpoint-form>`: a form built from a JSON Schema. Reports each change with `holdpoint-draft`, whose detail is
 * the draft. Call {@link submit} before you send the answer.
 */
export class HoldpointFormElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    schema: { attribute: false },
    value: { attribute: false },
    draft: { attribute: false },
    only: { attribute: false },
    keepEmpty: { type: Boolean },
    disabled: { type: Boolean },
    files: { attribute: false },
    upload: { attribute: false },
  };

  declare schema: unknown;
  /** The value to edit, if any. */
  declare value: unknown;
  declare draft: Draft;
  /** Names of the members to show; all members when absent. */
  declare only: readonly string[] | undefined;
  declare keepEmpty: boolean;
  declare disabled: boolean;
  /** The files that the interrupt asks for, if any. */
  declare files: FileRules | undefined;
  declare upload: Upload | undefined;

  #field: Field | undefined;
  #issues: readonly Issue[] = [];
  readonly #uploads = new Map<string, number>();
  /** Why the file that a person chose last was not taken, by the pointer of its field. */
  readonly #refused = new Map<string, string>();
  readonly #formId = `hp-form-${(forms += 1)}`;

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('schema') && this.#field !== undefined) return;
    const { schema } = this;
    this.#field = toField(schema, { name: '', required: true, root: schema, files: this.files });
    this.draft ??= draftFrom(this.#field, this.value);
  }

  /** The current value, unchecked; undefined when it cannot be read. */
  get current(): unknown {
    return this.#field === undefined ? undefined : readDraft(this.#field, this.draft, this.#position).value;
  }

  /** Checks the entered values of the shown members, shows the problems and focuses the first one. */
  async submit(): Promise<FormResult> {
    await this.updateComplete;
    if (this.#field === undefined) return { ok: false };
    const { value, issues } = readDraft(shownPart(this.#field, this.only), this.draft, this.#position);
    const unread = [...this.#halfTyped(), ...issues];
    const all = unread.length > 0 ? unread : await checkValue(this.schema, value);
    const shown = all
      .filter(({ pointer }) => this.#isShown(pointer))
      .map(({ pointer, message }) => ({ pointer, message: this.#refused.get(pointer) ?? message }));
    this.showIssues(shown);
    return shown.length === 0 ? { ok: true, value } : { ok: false };
  }

  /** The problems that the form shows. */
  get issues(): readonly Issue[] {
    return this.#issues;
  }

  /** Shows issues found elsewhere, such as by the server, and focuses the first one. */
  showIssues(issues: readonly Issue[]): void {
    this.#issues = issues;
    this.requestUpdate();
    if (issues.length > 0) void this.focusAfterUpdate('[aria-invalid="true"], [data-invalid]');
  }

  /** A date or time that is typed in part: the browser reports its input as empty, so it is not in the draft. */
  #halfTyped(): readonly Issue[] {
    return [...this.querySelectorAll<HTMLInputElement>('input[data-pointer]')]
      .filter(({ validity }) => validity.badInput)
      .map(({ dataset }) => ({
        pointer: dataset['pointer'] ?? '',
        message: translate('Fill in every part, or clear it.'),
      }));
  }

  get #position(): { readonly pointer: string; readonly keepEmpty: boolean } {
    return { pointer: '', keepEmpty: this.keepEmpty };
  }

  #isShown(pointer: string): boolean {
    const { only } = this;
    return only === undefined || only.some((name) => `${pointer}/`.startsWith(`${childPointer('', name)}/`));
  }

  protected override render(): TemplateResult {
    const field = this.#field;
    if (field === undefined) return html``;
    const control = this.#control();
    const { only, draft } = this;
    // The members of an object are shown without a frame: the form is the frame.
    const fields =
      field.kind === 'object' && field.fields.length > 0
        ? field.fields
            .filter(({ name }) => only === undefined || only.includes(name))
            .map((one) =>
              renderField({ field: one, draft: draftAt(draft, one.name), path: [one.name] }, control),
            )
        : [renderField({ field, draft, path: [] }, control)];
    const general = field.kind === 'object' ? this.#issues.flatMap((issue) => this.#aside(field, issue)) : [];
    return html`${fields}
    ${
      general.length === 0
        ? nothing
        : html`<p class="hp-problem" role="alert">${icon('alert')}${general.join(' ')}</p>`
    }`;
  }

  /** The sentence about an issue that no shown member has; none for an issue of a shown member. */
  #aside(form: FieldOf<'object'>, { pointer, message }: Issue): readonly string[] {
    const [name] = pointerTokens(pointer) ?? [];
    if (name === undefined) return [toSentence(message)];
    if (this.#isShown(pointer)) return [];
    const label = form.fields.find((one) => one.name === name)?.label ?? name;
    return [`${label}: ${toSentence(message)}`];
  }

  #control(): FieldControl {
    return {
      formId: this.#formId,
      disabled: this.disabled,
      upload: this.upload,
      problemAt: (pointer) => {
        const issue = this.#issues.find((one) => one.pointer === pointer);
        return issue === undefined ? undefined : toSentence(issue.message);
      },
      set: (path, draft) => this.#set(path, draft),
      progressAt: (pointer) => this.#uploads.get(pointer),
      startUpload: (path, file) => void this.#startUpload(path, file),
    };
  }

  #set(path: readonly (string | number)[], draft: Draft): void {
    this.draft = withDraft(this.draft, path, draft);
    const pointer = path.reduce<string>(childPointer, '');
    this.#issues = this.#issues.filter((issue) => issue.pointer !== pointer);
    this.#refused.delete(pointer);
    this.emit('holdpoint-draft', this.draft);
  }

  async #startUpload(path: readonly (string | number)[], file: File): Promise<void> {
    const pointer = path.reduce<string>(childPointer, '');
    const { maxBytes: limit, accept } = fileRulesAt(this.#field, path);
    const name = visibleText(file.name);
    const progress = (share: number) => {
      this.#uploads.set(pointer, share);
      this.requestUpdate();
    };
    try {
      if (accept !== undefined && !isAcceptedFile(file, accept))
        throw new Error(
          file.type === ''
            ? translate(
                '“{0}” is of an unknown type. Choose a file of this kind: {1}.',
                name,
                fileKinds(accept),
              )
            : translate(
                '“{0}” is {1}. Choose a file of this kind: {2}.',
                name,
                visibleText(file.type),
                fileKinds(accept),
              ),
        );
      if (limit !== undefined && file.size > limit)
        throw new Error(
          translate(
            '“{0}” is {1}; the limit is {2}. Choose a smaller file.',
            name,
            bytes(file.size),
            bytes(limit),
          ),
        );
      progress(0);
      const uploaded = await this.upload?.(file, progress);
      if (uploaded !== undefined) this.#set(path, uploaded);
    } catch (error) {
      const message = messageOf(error);
      this.#refused.set(pointer, message);
      this.showIssues([{ pointer, message }]);
    } finally {
      this.#uploads.delete(pointer);
      this.requestUpdate();
    }
  }
}

/** The form with the shown members only, so that an empty field of a later page does not keep this page from its check. */
function shownPart(form: Field, only: readonly string[] | undefined): Field {
  if (form.kind !== 'object' || only === undefined) return form;
  return { ...form, fields: form.fields.filter(({ name }) => only.includes(name)) };
}

function fileRulesAt(form: Field | undefined, path: readonly (string | number)[]): FileRules {
  let field = form;
  for (const key of path) {
    if (field?.kind === 'object') field = field.fields.find(({ name }) => name === key);
    else field = field?.kind === 'list' ? field.item : undefined;
  }
  return field?.kind === 'file' ? field.file : {};
}
