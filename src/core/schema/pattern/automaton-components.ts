import type { PatternAutomaton } from './pattern-automaton.ts';

/** States that can all reach each other; `loops` is false for a single state without an edge to itself. */
export interface Component {
  readonly states: readonly number[];
  readonly loops: boolean;
}

/** The strongly connected components, every one after those that it leads to (Tarjan). */
export function componentsOf(automaton: PatternAutomaton): readonly Component[] {
  const { edges } = automaton;
  const order = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  const open = new Set<number>();
  const components: Component[] = [];

  const visit = (state: number): void => {
    let lowest = order.size;
    order.set(state, lowest);
    stack.push(state);
    open.add(state);
    for (const next of edges[state]?.keys() ?? []) {
      if (!order.has(next)) visit(next);
      if (open.has(next)) lowest = Math.min(lowest, low.get(next) ?? order.get(next) ?? lowest);
    }
    low.set(state, lowest);
    if (lowest !== order.get(state)) return;
    const states = stack.splice(stack.indexOf(state));
    for (const member of states) open.delete(member);
    components.push({ states, loops: states.length > 1 || edges[state]?.has(state) === true });
  };

  visit(0);
  return components;
}
