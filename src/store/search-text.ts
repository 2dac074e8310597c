import { HoldpointError } from '../core/index.ts';

const LONGEST = 200;

/**
 * The characters that a text to search for stands for, each in upper and lower case. Databases differ in what they take for the
 * same letter; classes of characters mean the same in all of them.
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

/** Whether one of these texts contains what the classes stand for. */
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
