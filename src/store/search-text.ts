import { HoldpointError } from '../core/index.ts';

const LONGEST = 200;

/**
 * The character classes of a search text, each with upper and lower case. Databases differ in case rules; classes
 * mean the same in all of them.
 */
export function searchClasses(text: string): readonly string[][] {
  const characters = Array.from(text);
  if (characters.length > LONGEST) {
    throw new HoldpointError('INPUT_INVALID', `A text to search for has at most ${LONGEST} characters.`);
  }
  return characters.map((character) => {
    const cases = [character, character.toLowerCase(), character.toUpperCase()];
    return [...new Set(cases)].filter((one) => Array.from(one).length === 1);
  });
}

/** Whether one of the texts contains the classes in a row. */
export function containsClasses(
  classes: readonly string[][],
  texts: readonly (string | undefined)[],
): boolean {
  return texts.some((text) => {
    const characters = Array.from(text ?? '');
    return characters.some((_, start) =>
      classes.every((cases, offset) => cases.includes(characters[start + offset] ?? '')),
    );
  });
}
