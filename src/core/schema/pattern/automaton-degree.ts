import type { Component } from './automaton-components.ts';
import { componentsOf } from './automaton-components.ts';
import type { Effort } from './find-ambiguity.ts';
import { isExponential, overlaps } from './find-ambiguity.ts';
import type { PatternAutomaton } from './pattern-automaton.ts';
import { weightOf } from './pattern-automaton.ts';

/** Steps of analysis for one automaton, far above what the patterns of real schemas need. */
const MAX_EFFORT = 100_000;

/** A component with what is known about the ways from it to the end. */
interface Ranked {
  readonly component: Component;
  readonly weight: number;
  /** The highest weight among the loops, from this one on, that can share their text. */
  readonly peak: number;
  /** The components that can be reached, as bits by their rank. */
  readonly reach: bigint;
  readonly degree: number;
}

/**
 * How the time to refuse a text grows with its length, as an exponent: 1 is linear, 2 quadratic,
 * Infinity exponential or not known. It is an upper bound: one for the longest repetition, one more
 * for each further repetition that could take over its text (less if it has a count), and a little
 * for each place where several ways begin with the same character.
 */
export function degreeOf(automaton: PatternAutomaton): number {
  const effort: Effort = { left: MAX_EFFORT };
  const settled = settledStates(automaton);
  const rankOf = new Map<number, number>();
  const ranked: Ranked[] = [];

  for (const component of componentsOf(automaton)) {
    if (component.loops && isExponential(automaton, component, effort)) return Infinity;
    const weight = component.loops ? weigh(automaton, component) : 0;
    let reach = 0n;
    let degree = 0;
    let peak = weight;
    for (const rank of ranksBehind(automaton, component, rankOf)) {
      const next = ranked[rank];
      if (next === undefined) continue;
      reach |= next.reach | (1n << BigInt(rank));
      degree = Math.max(degree, next.degree);
    }
    for (const [rank, later] of component.loops ? ranked.entries() : []) {
      const isBehind = later.component.loops && (reach & (1n << BigInt(rank))) !== 0n;
      if (!isBehind || later.component.states.some((state) => settled.has(state))) continue;
      if (!overlaps(automaton, { first: component, second: later.component }, effort)) continue;
      degree = Math.max(degree, later.degree + Math.min(weight, later.peak));
      peak = Math.max(peak, later.peak);
    }
    if (effort.left < 0) return Infinity;
    for (const state of component.states) rankOf.set(state, ranked.length);
    ranked.push({ component, weight, peak, reach, degree: degree + weightOf(forksOf(automaton, component)) });
  }
  return Math.max(...ranked.map(({ weight }) => weight)) + Math.max(...ranked.map(({ degree }) => degree));
}

function weigh(automaton: PatternAutomaton, component: Component): number {
  return Math.max(...component.states.map((state) => automaton.weights[state] ?? 0));
}

function ranksBehind(
  automaton: PatternAutomaton,
  component: Component,
  rankOf: ReadonlyMap<number, number>,
): ReadonlySet<number> {
  const ranks = new Set<number>();
  for (const state of component.states) {
    for (const target of automaton.edges[state]?.keys() ?? []) {
      const rank = rankOf.get(target);
      if (rank !== undefined) ranks.add(rank);
    }
  }
  return ranks;
}

/** The most ways out of a component that can begin with the same character. */
function forksOf(automaton: PatternAutomaton, component: Component): number {
  const inside = new Set(component.states);
  let most = 1;
  for (const state of component.states) {
    const exits = [...(automaton.edges[state] ?? [])].filter(([target]) => !inside.has(target));
    for (const [target] of exits) {
      const mask = automaton.masks[target] ?? 0n;
      const ways = exits.reduce(
        (sum, [other, count]) => (((automaton.masks[other] ?? 0n) & mask) === 0n ? sum : sum + count),
        0,
      );
      most = Math.max(most, ways);
    }
  }
  return most;
}

/** States from which the match can no longer fail, such as the `.*` at the end of `^foo.*`. */
function settledStates(automaton: PatternAutomaton): ReadonlySet<number> {
  const settled = new Set(automaton.finals);
  for (let before = -1; before !== settled.size;) {
    before = settled.size;
    for (const state of settled) {
      const targets = [...(automaton.edges[state]?.keys() ?? [])];
      if (!targets.every((target) => settled.has(target))) settled.delete(state);
    }
  }
  return settled;
}
