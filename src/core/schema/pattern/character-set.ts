/** A set of code points: ranges with both ends inside, sorted and apart from each other. */
export type CharacterSet = readonly (readonly [from: number, to: number])[];

const LAST = 0x10ffff;

/** Every code point. Also stands for sets not worth knowing exactly, such as Unicode properties. */
export const EVERYTHING: CharacterSet = [[0, LAST]];
export const DIGITS: CharacterSet = [[48, 57]];
export const WORD: CharacterSet = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const LINE_ENDS: CharacterSet = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
/** What `.` matches without the `s` flag. */
export const NOT_LINE_END: CharacterSet = invert(LINE_ENDS);
/** What `\s` matches (ECMA-262, WhiteSpace and LineTerminator). */
export const SPACE: CharacterSet = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** The set of one code point. */
export function only(codePoint: number): CharacterSet {
  return [[codePoint, codePoint]];
}

/** All code points of all the sets. */
export function union(sets: readonly CharacterSet[]): CharacterSet {
  const merged: [number, number][] = [];
  for (const [from, to] of sets.flat().sort((left, right) => left[0] - right[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** All code points that are not in the set. */
export function invert(set: CharacterSet): CharacterSet {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST) rest.push([next, LAST]);
  return rest;
}

/**
 * Cuts the code points into the fewest classes that tell the given sets apart, and gives each set
 * as a bit mask of classes: two sets overlap where their masks have a bit in common.
 */
export function toMasks(sets: readonly CharacterSet[]): bigint[] {
  const cuts = new Set<number>([0]);
  for (const [from, to] of sets.flat()) {
    cuts.add(from);
    cuts.add(to + 1);
  }
  const starts = [...cuts].filter((cut) => cut <= LAST).sort((left, right) => left - right);
  const indexOf = new Map(starts.map((start, index) => [start, index]));
  const bitsBelow = (cut: number) => (1n << BigInt(indexOf.get(cut) ?? starts.length)) - 1n;
  return sets.map((set) =>
    set.reduce((mask, [from, to]) => mask | (bitsBelow(to + 1) ^ bitsBelow(from)), 0n),
  );
}
