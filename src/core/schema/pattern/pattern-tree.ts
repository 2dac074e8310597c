import type { CharacterSet } from './character-set.ts';

/** A regular expression as a tree; groups are gone, since only their content matters here. */
export type PatternNode =
  /** One code point out of a set. */
  | { readonly kind: 'characters'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  /** `max` is Infinity for `*`, `+` and `{n,}`. */
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }
  /** `^` */
  | { readonly kind: 'start' }
  /** `$`, `\b` or `\B`: consumes nothing, and may fail. */
  | { readonly kind: 'condition' }
  | { readonly kind: 'look'; readonly behind: boolean; readonly body: PatternNode }
  | { readonly kind: 'backreference' };

/** The nodes directly below a node. */
export function childrenOf(node: PatternNode): readonly PatternNode[] {
  switch (node.kind) {
    case 'sequence':
      return node.items;
    case 'choice':
      return node.options;
    case 'repeat':
    case 'look':
      return [node.body];
    case 'characters':
    case 'start':
    case 'condition':
    case 'backreference':
      return [];
  }
}

/** True when the predicate holds for the node or anything below it. */
export function someNode(node: PatternNode, predicate: (node: PatternNode) => boolean): boolean {
  return predicate(node) || childrenOf(node).some((child) => someNode(child, predicate));
}
