import { translate } from './strings.ts';

/**
 * Characters that change how other characters read: direction marks and overrides, controls except tab and line feed,
 * and characters without a shape. A joiner between two emoji or two letters of a joining script is part of them.
 */
const HIDDEN =
  /(?![\t\n\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|\u034F|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Malayalam}\p{Script=Sinhala}])[\u200C\u200D]/gu;

/** Scripts with letters that look like Latin ones, and the letters for formulas, which are drawn as Latin ones. */
const OTHER =
  '\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Armenian}\\p{Script=Cherokee}\\u{1D400}-\\u{1D7CB}';
const LOOK_ALIKES = new RegExp(`[${OTHER}]`, 'gu');
/** The letters of these scripts that have the shape of a Latin letter. */
const SAME_SHAPE =
  'АВЕЅІЈКМНОРСТУХҮԚԜавеѕіјкорсухһԁԛԝѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧικνορυχϲοսօհոցզᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ\\u{1D400}-\\u{1D7CB}';
const DISGUISED = new RegExp(`^(?=.*\\p{L})(?:[${SAME_SHAPE}]|\\P{L})+$`, 'u');
/** A letter that shows that a text is written in one of these scripts. */
const OWN_SHAPE = new RegExp(`(?![${SAME_SHAPE}])[${OTHER}]`, 'u');
const LATIN = /[\p{Script=Latin}]/u;
const WORD = /[\p{L}\p{N}\p{M}._%+@-]+/gu;
const DIGIT = /\p{N}/u;
/** Most words that the warnings name. */
const MOST_NAMED = 3;

/**
 * A text from outside, safe to show: each hidden character is written as its code, so `‮321CBA` reads
 * `[U+202E]321CBA` and not `ABC123`. Line feeds and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(HIDDEN, (character) => `[${codeOf(character)}]`);
}

/**
 * Sentences about characters in a text that can deceive a reader: hidden ones, words in two alphabets, and words that only look
 * Latin. A text in another language may have short words of such letters; a word with digits, such as an account, has no language.
 */
export function textWarnings(text: string): readonly string[] {
  const hidden = [...new Set(text.match(HIDDEN))].map(codeOf);
  const words = [...new Set(text.match(WORD))];
  const mixed = words.filter((word) => LATIN.test(word) && word.search(LOOK_ALIKES) >= 0);
  const isOtherLanguage = OWN_SHAPE.test(text);
  const disguised = words.filter((word) => DISGUISED.test(word) && (DIGIT.test(word) || !isOtherLanguage));
  return [
    ...(hidden.length === 0
      ? []
      : [
          translate(
            'Contains characters that are invisible or change the reading direction: {0}.',
            hidden.join(', '),
          ),
        ]),
    ...mixed
      .slice(0, MOST_NAMED)
      .map((word) =>
        translate(
          '“{0}” mixes two alphabets: {1} only looks like a Latin letter.',
          visibleText(word),
          lettersIn(word),
        ),
      ),
    ...disguised
      .slice(0, MOST_NAMED)
      .map((word) =>
        translate('“{0}” looks like Latin letters, but has none: {1}.', visibleText(word), lettersIn(word)),
      ),
  ];
}

/** The letters of a word that are not Latin, each with its code. */
function lettersIn(word: string): string {
  const odd = [...new Set(word.match(LOOK_ALIKES))];
  return odd.map((letter) => `${letter} (${codeOf(letter)})`).join(', ');
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
