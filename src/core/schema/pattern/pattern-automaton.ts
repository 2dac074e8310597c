import type { CharacterSet } from './character-set.ts';
import { EVERYTHING, toMasks } from './character-set.ts';
import type { PatternNode } from './pattern-tree.ts';
import { someNode } from './pattern-tree.ts';

/**
 * The position automaton (Glushkov) of a pattern: a state for every place that reads a character,
 * without empty moves. State 0 is the start; it reads everything for ever when the pattern may begin
 * anywhere, as the engine then does. An edge counts the ways that lead over it, so that `(a+)+`
 * shows its two ways from `a` to `a`.
 *
 * A repetition with a count is read as one without (its count becomes the weight of its states),
 * except for a fixed count of one character set, which leaves no choice and is written out.
 */
export interface PatternAutomaton {
  /** What each state reads, as masks that overlap where a character fits both. */
  readonly masks: readonly bigint[];
  /** How often a state may repeat, as an exponent: 1 for without end, less for a count. */
  readonly weights: readonly number[];
  readonly edges: readonly ReadonlyMap<number, number>[];
  /** States after which the pattern may end; empty when a condition such as `$` can still fail. */
  readonly finals: ReadonlySet<number>;
}

/** Why a pattern has no automaton. */
export interface Refusal {
  readonly refused: string;
}

/** A written-out count past this is read as a repetition without end. */
const MAX_COPIES = 128;
/** Past these the analysis would take too long itself. */
const MAX_STATES = 2000;
const MAX_EDGES = 10_000;
/** Empty alternatives of several groups multiply, and no character tells them apart. */
const MAX_EMPTY_WAYS = 64;
/** The length at which a choice of n ways weighs as much as a repetition without end. */
const REFERENCE_LENGTH = 10_000;

/** The exponent of n ways: how they compare with the length of a text. */
export function weightOf(ways: number): number {
  return ways === Infinity ? 1 : Math.min(1, Math.log(Math.max(1, ways)) / Math.log(REFERENCE_LENGTH));
}

/** Builds the automaton; `floating` when a match may begin anywhere. */
export function buildAutomaton(tree: PatternNode, floating: boolean): PatternAutomaton | Refusal {
  const builder = new Builder();
  builder.addState(floating ? EVERYTHING : [], floating ? 1 : 0);
  const whole = builder.build(tree, 0);
  if (builder.refused !== undefined) return { refused: builder.refused };
  builder.connect([0], whole.firsts);
  if (floating) builder.connect([0], [0]);
  const conditional = someNode(tree, ({ kind }) => kind === 'condition' || kind === 'look');
  return {
    masks: toMasks(builder.sets),
    weights: builder.weights,
    edges: builder.edges,
    finals: new Set(conditional ? [] : whole.lasts),
  };
}

/** A state that is listed several times in `firsts` or `lasts` is reached in that many ways. */
interface Fragment {
  /** In how many ways it matches nothing. */
  readonly emptyWays: number;
  readonly firsts: readonly number[];
  readonly lasts: readonly number[];
}

const EMPTY: Fragment = { emptyWays: 1, firsts: [], lasts: [] };

/** The states of a fragment that stands beside one with so many empty ways: each way reaches them once. */
function reachedPast(states: readonly number[], emptyWays: number): readonly number[] {
  return Array.from({ length: emptyWays }, () => states).flat();
}

class Builder {
  readonly sets: CharacterSet[] = [];
  readonly weights: number[] = [];
  readonly edges: Map<number, number>[] = [];
  refused: string | undefined;
  #edgeCount = 0;
  #emptyWays = 1;

  addState(set: CharacterSet, weight: number): number {
    if (this.sets.length >= MAX_STATES) this.refused = `more than ${MAX_STATES} places`;
    this.weights.push(weight);
    this.edges.push(new Map());
    return this.sets.push(set) - 1;
  }

  connect(from: readonly number[], to: readonly number[]): void {
    this.#edgeCount += from.length * to.length;
    if (this.#edgeCount > MAX_EDGES) this.refused = `more than ${MAX_EDGES} ways from place to place`;
    if (this.refused !== undefined) return;
    for (const source of from) {
      const edges = this.edges[source];
      for (const target of to) edges?.set(target, (edges.get(target) ?? 0) + 1);
    }
  }

  build(node: PatternNode, weight: number): Fragment {
    switch (node.kind) {
      case 'characters':
        return this.#single(node.set, weight);
      case 'sequence':
        return node.items.reduce((before, item) => this.#join(before, this.build(item, weight)), EMPTY);
      case 'choice':
        return this.#choose(node.options.map((option) => this.build(option, weight)));
      case 'repeat':
        return this.#repeat(node, weight);
      case 'backreference': {
        // It may match text of any length, or none.
        const state = this.#single(EVERYTHING, 1);
        this.connect(state.lasts, state.firsts);
        return { ...state, emptyWays: 1 };
      }
      case 'start':
      case 'condition':
      case 'look':
        return EMPTY;
    }
  }

  #single(set: CharacterSet, weight: number): Fragment {
    const state = this.addState(set, weight);
    return { emptyWays: 0, firsts: [state], lasts: [state] };
  }

  #join(before: Fragment, after: Fragment): Fragment {
    this.connect(before.lasts, after.firsts);
    return {
      emptyWays: Math.min(before.emptyWays * after.emptyWays, MAX_EMPTY_WAYS),
      firsts: [...before.firsts, ...reachedPast(after.firsts, before.emptyWays)],
      lasts: [...reachedPast(before.lasts, after.emptyWays), ...after.lasts],
    };
  }

  #choose(options: readonly Fragment[]): Fragment {
    const emptyWays = options.reduce((sum, option) => sum + option.emptyWays, 0);
    this.#emptyWays *= Math.max(1, emptyWays);
    if (this.#emptyWays > MAX_EMPTY_WAYS) this.refused = 'many alternatives that match nothing';
    return {
      emptyWays: Math.min(emptyWays, MAX_EMPTY_WAYS),
      firsts: options.flatMap(({ firsts }) => firsts),
      lasts: options.flatMap(({ lasts }) => lasts),
    };
  }

  #repeat(node: PatternNode & { kind: 'repeat' }, weight: number): Fragment {
    const { body, min, max } = node;
    if (max === 0) return EMPTY;
    if (max === 1) {
      const once = this.build(body, weight);
      // The engine rejects a turn that matches nothing once it may stop.
      return min === 0 ? { ...once, emptyWays: 1 } : once;
    }
    if (body.kind === 'characters' && min === max && max <= MAX_COPIES) {
      const copies = Array.from({ length: max }, () => this.#single(body.set, weight));
      return copies.reduce((before, copy) => this.#join(before, copy), EMPTY);
    }
    const ways = min === max ? max : max - min + 1;
    const loop = this.build(body, Math.max(weight, weightOf(ways)));
    if (loop.emptyWays > 0 && !(min < 2 && max === Infinity)) {
      this.refused = 'a counted repetition of something that can match nothing';
    }
    this.connect(loop.lasts, loop.firsts);
    return { ...loop, emptyWays: min === 0 ? 1 : loop.emptyWays };
  }
}
