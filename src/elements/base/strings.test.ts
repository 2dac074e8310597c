import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { compileInBrowser } from '../../core/schema/compile-in-browser.ts';
import { toSentence } from '../form/check-value.ts';
import { answeredWords, answerWords, recordWords } from '../interrupt/decision.ts';
import { errorSentence } from '../interrupt/error-sentence.ts';
import { bytes } from '../form/render-file.ts';
import { german } from './german.ts';
import { setStrings, translate, translateParts } from './strings.ts';
import { ago, moment } from './words.ts';

afterEach(() => setStrings({}));

describe('setStrings', () => {
  it('replaces a text, its plural forms and its values, and {} returns to English', () => {
    expect(translate('{0} change|{0} changes', 1)).toBe('1 change');
    setStrings(german, 'de');
    expect(translate('Approve')).toBe('Genehmigen');
    expect(translate('{0} change|{0} changes', 1)).toBe('1 Änderung');
    expect(translate('{0} change|{0} changes', 2)).toBe('2 Änderungen');
    expect(ago(0, 300_000)).toBe('vor 5 min');
    expect(moment(Date.UTC(2026, 10, 16))).toContain('.11.2026');
    setStrings({});
    expect(translate('{0} change|{0} changes', 2)).toBe('2 changes');
  });

  it.each(['en-US', 'en-GB', 'de'])('writes a time of today in %s as the same moment in full', (tag) => {
    setStrings({}, tag);
    const time = new Date(2026, 10, 16, 17, 58).getTime();
    const today = moment(time, time + 1000);
    expect(today).toMatch(tag === 'en-US' ? /^5:58\sPM$/ : /^17:58$/);
    expect(moment(time)).toMatch(new RegExp(`2026.*${today}$`));
    expect(moment(time, time + 86_400_000)).toBe(moment(time));
  });

  it('takes a function for languages with further plural forms, and keeps English for the rest', () => {
    setStrings({ '{0} change|{0} changes': (count) => `${count} ${Number(count) < 5 ? 'zmiany' : 'zmian'}` });
    expect(translate('{0} change|{0} changes', 7)).toBe('7 zmian');
    expect(translate('Approve')).toBe('Approve');
  });

  it('keeps the order of values in a sentence with elements', () => {
    const code = { an: 'element' };
    expect(translateParts('Type {0} to approve', code)).toEqual(['Type ', code, ' to approve']);
    setStrings(german);
    expect(translateParts('Type {0} to approve', code)).toEqual(['Zum Genehmigen ', code, ' eingeben']);
  });

  it('writes sizes and the decision about a failed call in the language of the page', () => {
    const responseSchema = { type: 'object', properties: { action: { enum: ['retry', 'skip'] } } };
    const answer = { status: 'resolved', payload: { action: 'retry' } } as const;
    const words = () => [answerWords(answer, { responseSchema }), bytes(5_200_000), bytes(900)];
    setStrings({}, 'en');
    expect(words()).toEqual(['Answered “Do it again”', '5.2 MB', '900 B']);
    setStrings(german, 'de');
    expect(words()).toEqual(['„Noch einmal“ geantwortet', '5,2 MB', '900 B']);
  });

  it('writes decisions and errors in German', () => {
    setStrings(german, 'de');
    const rejected = {
      by: 'Ana',
      at: 0,
      status: 'resolved',
      payload: { approved: false, reason: 'zu viel' },
    } as const;
    expect(answeredWords(rejected, 12_000)).toBe('Abgelehnt von Ana vor 12 s: zu viel');
    expect(recordWords(rejected, {})).toBe('Ana hat abgelehnt: zu viel');
    expect(
      recordWords(
        { you: true, status: 'resolved', payload: { approved: true, editedArgs: { a: 2 } } },
        { a: 1 },
      ),
    ).toBe('Sie haben mit 1 Änderung genehmigt');
    expect(errorSentence(undefined)).toBe('Etwas ging schief. Versuchen Sie es noch einmal.');
  });

  it('translates the sentences of the validator', () => {
    setStrings(german, 'de');
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 3 },
        mail: { type: 'string', format: 'email' },
        list: { type: 'array', maxItems: 1 },
        age: { type: 'number', minimum: 18 },
        plan: { enum: ['free', 'pro'] },
      },
      required: ['more'],
    };
    const { validate } = compileInBrowser(schema);
    const issues = validate({ name: 'a', mail: 'b', list: [1, 2], age: 3, plan: 'x' });
    expect(Object.fromEntries(issues.map(({ pointer, message }) => [pointer, toSentence(message)]))).toEqual({
      '/name': 'Mindestens 3 Zeichen erwartet.',
      '/mail': 'Eine E-Mail-Adresse erwartet.',
      '/list': 'Höchstens 1 Eintrag erwartet.',
      '/age': 'Mindestens 18 erwartet.',
      '/plan': 'Eines davon erwartet: "free", "pro".',
      '/more': 'Die Angabe "more" fehlt.',
    });
  });
});

const root = resolve(import.meta.dirname, '../../..');
const sources = ['src/elements', 'ui'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.endsWith('german.ts'))
    .map((path) => ({ path: join(folder, path), code: readFileSync(join(root, folder, path), 'utf8') })),
);

describe('the texts of elements and ui', () => {
  it('has no text in a template that setStrings cannot replace', () => {
    const found = sources.flatMap(({ path, code }) =>
      templatesIn(code).flatMap((template) => fixedTexts(template).map((text) => `${path}: ${text}`)),
    );
    expect(found).toEqual([]);
  });

  it('uses every text of the German set', () => {
    const all = sources.map(({ code }) => code).join('\n');
    const unused = Object.keys(german).filter(
      (text) => !text.startsWith('Expected ') && !all.includes(`'${text}'`) && !isMember(all, text),
    );
    expect(unused).toEqual([]);
  });

  it('has different verbs for a reviewer who cancels and for an asker who withdraws, in English and in German', () => {
    const cancels = Object.entries(german).filter(([text]) => text.startsWith('Cancel '));
    expect(cancels.length).toBeGreaterThan(3);
    for (const [text, translated] of cancels)
      expect(`${text} ${translated}`).not.toMatch(/withdraw|zurückzieh/i);
    expect(Object.keys(german).filter((text) => /withdraw this (?:request|question)/i.test(text))).toEqual(
      [],
    );
  });

  it('keeps the values and the plural forms of each text in German', () => {
    const shape = (text: string) => ({
      places: [...new Set(text.match(/\{\d\}/g))].toSorted(),
      forms: text.split('|').length,
    });
    const other = Object.entries(german).filter(
      ([english, text]) => JSON.stringify(shape(text)) !== JSON.stringify(shape(english)),
    );
    expect(other).toEqual([]);
  });
});

/** A decision is named by the member of its union. */
function isMember(code: string, text: string): boolean {
  return new RegExp(`\\b${text}: '`).test(code) && /^[a-z]+$/.test(text);
}

/** The templates of a source, each expression as a NUL. */
function templatesIn(code: string): readonly string[] {
  const found: string[] = [];
  const read = (start: number): number => {
    let text = '';
    let at = start;
    while (at < code.length && code[at] !== '`') {
      if (code[at] === '\\') at += 2;
      else if (code.startsWith('${', at)) {
        text += '\0';
        at = skip(at + 2);
      } else {
        text += code[at];
        at += 1;
      }
    }
    found.push(text);
    return at + 1;
  };
  /** Reads an expression up to its brace; a template in it is read too. */
  const skip = (start: number): number => {
    let depth = 1;
    let at = start;
    while (depth > 0 && at < code.length) {
      const character = code[at];
      if (character === '`') {
        const isHtml = /html$/i.test(code.slice(0, at));
        const size = found.length;
        at = read(at + 1);
        if (!isHtml) found.splice(size, 1);
        continue;
      }
      if (character === "'") at = code.indexOf("'", at + 1);
      if (character === '{') depth += 1;
      if (character === '}') depth -= 1;
      at += 1;
    }
    return at;
  };
  for (let at = code.indexOf('html`'); at >= 0; at = code.indexOf('html`', at))
    at = read(at + 'html`'.length);
  return found;
}

/** Names and keys that stay the same in every language. */
const NAMES = new Set(['Holdpoint', 'u', 'j', 'k']);
const TEXT_ATTRIBUTE = /(?:aria-label|title|placeholder|alt)="([^"]*\p{L}[^"]*)"/gu;

function fixedTexts(template: string): readonly string[] {
  const attributes = [...template.matchAll(TEXT_ATTRIBUTE)].map(([, text = '']) => text);
  const texts = template.replaceAll(/<[^>]*>/g, '\0').split('\0');
  return [...attributes, ...texts]
    .map((text) => text.trim())
    .filter((text) => /\p{L}/u.test(text) && !NAMES.has(text));
}
