import type { Component } from './automaton-components.ts';
import type { PatternAutomaton } from './pattern-automaton.ts';

/** Counts the work of an analysis; one that grows too long is given up, and the pattern with it. */
export interface Effort {
  left: number;
}

/** True while there is effort left; each call spends one. */
export function spend(effort: Effort): boolean {
  effort.left -= 1;
  return effort.left >= 0;
}

/**
 * True when two different ways through a loop read the same text and meet again: each turn then
 * doubles the ways, and a text that does not match costs exponential time. True as well when the
 * effort runs out.
 */
export function isExponential(automaton: PatternAutomaton, loop: Component, effort: Effort): boolean {
  const { masks, edges } = automaton;
  const inside = new Set(loop.states);
  const seen = new Set<number>();
  const queue: (readonly [number, number])[] = loop.states.map((state) => [state, state]);
  for (let pair = queue.pop(); pair !== undefined; pair = queue.pop()) {
    const [left, right] = pair;
    for (const [nextLeft, ways] of edges[left] ?? []) {
      if (!inside.has(nextLeft)) continue;
      if (left === right && ways > 1) return true;
      for (const nextRight of edges[right]?.keys() ?? []) {
        if (!spend(effort)) return true;
        if (!inside.has(nextRight) || ((masks[nextLeft] ?? 0n) & (masks[nextRight] ?? 0n)) === 0n) continue;
        if (nextLeft === nextRight) {
          if (left !== right) return true;
          continue;
        }
        const key = nextLeft * masks.length + nextRight;
        if (seen.has(key)) continue;
        seen.add(key);
        queue.push([nextLeft, nextRight]);
      }
    }
  }
  return false;
}

/**
 * True when some text can be read by staying in the first loop, by going from the first to the
 * second, and by staying in the second: where one ends and the other begins is then open, and a
 * text that does not match costs one more factor of its length. True as well when the effort runs out.
 */
export function overlaps(
  automaton: PatternAutomaton,
  loops: { readonly first: Component; readonly second: Component },
  effort: Effort,
): boolean {
  const { first, second } = loops;
  const maskOf = ({ states }: Component) =>
    states.reduce((mask, state) => mask | (automaton.masks[state] ?? 0n), 0n);
  if ((maskOf(first) & maskOf(second)) === 0n) return false;
  const sets = { stays: new Set(first.states), ends: new Set(second.states) };
  return first.states.some((from) =>
    second.states.some((to) => sharesText(automaton, { ...sets, from, to }, effort)),
  );
}

interface Search {
  readonly stays: ReadonlySet<number>;
  readonly ends: ReadonlySet<number>;
  readonly from: number;
  readonly to: number;
}

function sharesText(automaton: PatternAutomaton, search: Search, effort: Effort): boolean {
  const { masks, edges } = automaton;
  const { stays, ends, from, to } = search;
  if (!spend(effort)) return true;
  const size = masks.length;
  const goal = (from * size + to) * size + to;
  const seen = new Set<number>();
  const queue: (readonly [number, number, number])[] = [[from, from, to]];
  for (let triple = queue.pop(); triple !== undefined; triple = queue.pop()) {
    const [left, middle, right] = triple;
    for (const nextLeft of edges[left]?.keys() ?? []) {
      if (!stays.has(nextLeft)) continue;
      for (const nextRight of edges[right]?.keys() ?? []) {
        const mask = (masks[nextLeft] ?? 0n) & (masks[nextRight] ?? 0n);
        if (!ends.has(nextRight) || mask === 0n) continue;
        for (const nextMiddle of edges[middle]?.keys() ?? []) {
          if (!spend(effort)) return true;
          if ((mask & (masks[nextMiddle] ?? 0n)) === 0n) continue;
          const key = (nextLeft * size + nextMiddle) * size + nextRight;
          if (key === goal) return true;
          if (seen.has(key)) continue;
          seen.add(key);
          queue.push([nextLeft, nextMiddle, nextRight]);
        }
      }
    }
  }
  return false;
}
