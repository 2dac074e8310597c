import { translate } from './strings.ts';

/**
 * Characters that change how other characters read: direction marks and overrides, controls except tab and line feed,
 * and characters without a shape. A joiner between two emoji or two letters of a joining script is part of them.
 */
const HIDDEN =
  /(?![\t\n\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|\u034F|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Malayalam}\p{Script=Sinhala}])[\u200C\u200D]/gu;

/** Letters of scripts whose capitals and small letters look like Latin ones. */
const LOOK_ALIKES = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;
const LATIN = /[\p{Script=Latin}]/u;
const WORD = /[\p{L}\p{N}\p{M}._%+@-]+/gu;

/**
 * A text from outside, safe to show: each hidden character is written as its code, so `‮321CBA` reads
 * `[U+202E]321CBA` and not `ABC123`. Line feeds and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(HIDDEN, (character) => `[${codeOf(character)}]`);
}

/** Sentences about characters in a text that can deceive a reader: hidden ones, and words in two alphabets. */
export function textWarnings(text: string): readonly string[] {
  const hidden = [...new Set(text.match(HIDDEN))].map(codeOf);
  const mixed = [...new Set(text.match(WORD))].filter(
    (word) => LATIN.test(word) && word.search(LOOK_ALIKES) >= 0,
  );
  return [
    ...(hidden.length === 0
      ? []
      : [
          translate(
            'Contains characters that are invisible or change the reading direction: {0}.',
            hidden.join(', '),
          ),
        ]),
    ...mixed.slice(0, 3).map((word) => {
      const odd = [...new Set(word.match(LOOK_ALIKES))];
      const letters = odd.map((letter) => `${letter} (${codeOf(letter)})`).join(', ');
      return translate(
        '“{0}” mixes two alphabets: {1} only looks like a Latin letter.',
        visibleText(word),
        letters,
      );
    }),
  ];
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
