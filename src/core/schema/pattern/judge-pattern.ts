import { degreeOf } from './automaton-degree.ts';
import { parsePattern } from './parse-pattern.ts';
import { buildAutomaton } from './pattern-automaton.ts';
import type { PatternNode } from './pattern-tree.ts';
import { childrenOf, someNode } from './pattern-tree.ts';

/** What a pattern may cost on a text that does not match it. */
export type PatternVerdict =
  | { readonly cost: 'linear' | 'quadratic' }
  /** `reason` completes the sentence "expected a pattern without …". */
  | { readonly cost: 'refused'; readonly reason: string };

const MAX_LENGTH = 1000;
const MAX_COUNT = 1000;
const MAX_COUNT_PRODUCT = 10_000;
const MAX_NESTING = 50;
/** Up to these exponents; the fractions leave room for a few short choices. */
const LINEAR = 1.5;
const QUADRATIC = 2.3;

/**
 * Says how long a pattern may take, without running it. Refuses what is invalid with the `u` flag or
 * longer than 1000 characters, counts over 1000, quantifiers in a look-behind, backreferences in a
 * repetition, and everything that could cost more than quadratic time: nested or overlapping
 * repetitions, three repetitions that could share their text. In doubt it refuses.
 */
export function judgePattern(pattern: string): PatternVerdict {
  if (pattern.length > MAX_LENGTH) return refuse(`more than ${MAX_LENGTH} characters`);
  if (!isValid(pattern)) return refuse('invalid syntax');
  const tree = parsePattern(pattern);
  if (tree === undefined) return refuse('syntax that cannot be checked');
  const reason = findForbidden(tree, { count: 1, nesting: 0 });
  if (reason !== undefined) return refuse(reason);
  const degree = degreeOfTree(tree, !isAnchored(tree));
  if (typeof degree === 'string') return refuse(degree);
  if (degree === Infinity) return refuse('a repetition that can match the same text in several ways');
  if (degree > QUADRATIC) return refuse('several repetitions that can match the same text');
  return { cost: degree > LINEAR ? 'quadratic' : 'linear' };
}

/** True for a pattern that {@link judgePattern} accepts. */
export function isSafePattern(pattern: string): boolean {
  return judgePattern(pattern).cost !== 'refused';
}

function refuse(reason: string): PatternVerdict {
  return { cost: 'refused', reason };
}

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}

interface Surroundings {
  /** How often the node can be repeated by the counts around it. */
  readonly count: number;
  readonly nesting: number;
}

function findForbidden(node: PatternNode, around: Surroundings): string | undefined {
  if (around.nesting > MAX_NESTING) return `more than ${MAX_NESTING} levels of groups`;
  if (node.kind === 'backreference' && around.count > 1) return 'a backreference in a repetition';
  if (node.kind === 'look' && node.behind && someNode(node, ({ kind }) => kind === 'repeat')) {
    return 'a quantifier in a look-behind';
  }
  let { count } = around;
  if (node.kind === 'repeat') {
    const bound = node.max === Infinity ? node.min : node.max;
    if (bound > MAX_COUNT) return `a count over ${MAX_COUNT}`;
    count *= Math.max(bound, node.max === Infinity ? 2 : 1);
    if (count > MAX_COUNT_PRODUCT) return `nested counts of more than ${MAX_COUNT_PRODUCT} in all`;
  }
  for (const child of childrenOf(node)) {
    const reason = findForbidden(child, { count, nesting: around.nesting + 1 });
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** True when every way through the node begins with `^`, so that only one place is tried. */
function isAnchored(node: PatternNode): boolean {
  if (node.kind === 'start') return true;
  if (node.kind === 'choice') return node.options.every(isAnchored);
  const [first] = node.kind === 'sequence' ? node.items : [];
  return first !== undefined && isAnchored(first);
}

/** The exponent of a tree with its look-aheads, or the reason to refuse it. */
function degreeOfTree(tree: PatternNode, floating: boolean): number | string {
  const automaton = buildAutomaton(tree, floating);
  if ('refused' in automaton) return automaton.refused;
  const degree = degreeOf(automaton);
  let highest = degree;
  for (const { body, repeated } of looksOf(tree, floating)) {
    // A look-ahead gives nothing back, so it is a match of its own, made as often as it is reached.
    const inner = degreeOfTree(body, false);
    if (typeof inner === 'string') return inner;
    highest = Math.max(highest, repeated ? degree + inner : inner);
  }
  return highest;
}

interface Look {
  readonly body: PatternNode;
  /** True when a repetition can lead to it in more than a few ways. */
  readonly repeated: boolean;
}

function looksOf(node: PatternNode, repeated: boolean): Look[] {
  if (node.kind === 'look') return [{ body: node.body, repeated }];
  if (node.kind === 'repeat') return looksOf(node.body, repeated || node.max > 1);
  let afterLoop = repeated;
  return childrenOf(node).flatMap((child) => {
    const looks = looksOf(child, afterLoop);
    afterLoop ||= node.kind === 'sequence' && someNode(child, isLoop);
    return looks;
  });
}

function isLoop(node: PatternNode): boolean {
  return node.kind === 'backreference' || (node.kind === 'repeat' && node.max > 1);
}
