import type { german } from './german.ts';

/**
 * A text of the elements and of the web app, by its English words. `{0}` and `{1}` stand for values; a text about a number has
 * two forms, for one and for many, with `|` between them.
 */
export type Text = keyof typeof german;

/** The replacement of a text: the same places for values, or a function that gets the values. */
export type Translation = string | ((...values: readonly (string | number)[]) => string);

/** Replacements by English text; a text that is missing stays English. */
export type Strings = { readonly [English in Text]?: Translation };

let replacements: Strings = {};
let tag: string | undefined;
const listeners = new Set<() => void>();

/**
 * Replaces the texts of the elements. Elements on the page are rendered again.
 *
 * @param strings The texts by their English words; `{}` returns to English.
 * @param language The BCP 47 tag for dates and numbers. Default: the language of the browser.
 *
 * @example
 * ```ts
 * import { german, setStrings } from 'holdpoint/elements';
 *
 * setStrings({ ...german, Approve: 'Freigeben' }, 'de');
 * ```
 */
export function setStrings(strings: Strings, language?: string): void {
  replacements = strings;
  tag = language;
  for (const listener of listeners) listener();
}

/** The replacements in use. */
export function strings(): Strings {
  return replacements;
}

/** The language of dates and numbers; undefined for that of the browser. */
export function language(): string | undefined {
  return tag;
}

/** Calls the listener after each {@link setStrings}. */
export function onStrings(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * A text in the language of the page, with its values.
 *
 * @example
 * ```ts
 * import { registerCard, translate } from 'holdpoint/elements';
 * import { html } from 'lit';
 *
 * registerCard('acme:sign_off', () => html`<button>${translate('Approve')}</button>`);
 * ```
 */
export function translate(text: Text, ...values: readonly (string | number)[]): string {
  return formOf(text, values).replaceAll(PLACE, (_, place: string) => String(values[Number(place)] ?? ''));
}

/** The same with values that Lit renders, such as an element within the sentence. */
export function translateParts(text: Text, ...values: readonly unknown[]): readonly unknown[] {
  const marks = values.map((_, place) => `{${place}}`);
  return formOf(text, marks)
    .split(PLACE)
    .map((part, index) => (index % 2 === 0 ? part : values[Number(part)]));
}

/**
 * A finished English sentence, such as one of the validator, in the language of the page: the replacement of the same
 * text, or of a text whose places fit.
 */
export function translateSentence(sentence: string): string {
  for (const text of Object.keys(replacements) as Text[]) {
    const values = text === sentence ? [] : valuesIn(sentence, text);
    if (values !== undefined) return translate(text, ...values);
  }
  return sentence;
}

const PLACE = /\{(\d)\}/g;

function formOf(text: Text, values: readonly (string | number)[]): string {
  const found = replacements[text] ?? text;
  if (typeof found === 'function') return found(...values);
  const [one = '', many] = found.split('|');
  return many === undefined || Number(values[0]) === 1 ? one : many;
}

/** The values of a sentence that the validator made from a text; undefined when it was made from another. */
function valuesIn(sentence: string, text: Text): readonly string[] | undefined {
  if (!text.startsWith('Expected ')) return undefined;
  for (const form of text.split('|')) {
    const pattern = form
      .split(PLACE)
      .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&') : '(.+)'))
      .join('');
    const found = new RegExp(`^${pattern}$`, 's').exec(sentence);
    if (found !== null) return found.slice(1);
  }
  return undefined;
}
