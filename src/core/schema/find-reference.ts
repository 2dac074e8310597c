import { childPointer, pointerTokens } from '../json-pointer.ts';
import { isRecord, ownMember } from '../json-value.ts';

/** The target of a `$ref` with its pointer in the schema; a string is the reason why there is no target. */
type ReferenceResult = { readonly value: unknown; readonly pointer: string } | string;

/**
 * Resolves a reference inside one schema: `#`, `#/a/pointer` or `#anchor`. Every other reference counts as remote
 * and is rejected, even when an `$id` in the schema would match: nothing is fetched.
 */
export function findReference(root: unknown, reference: unknown): ReferenceResult {
  if (typeof reference !== 'string') return 'expected a reference as text';
  if (!reference.startsWith('#')) return 'expected a reference within this schema, beginning with #';
  const fragment = decode(reference.slice(1));
  if (fragment === undefined) return 'expected a reference with valid percent-encoding';
  const tokens = pointerTokens(fragment);
  const found = tokens === undefined ? findAnchor(root, fragment) : followTokens(root, tokens);
  return found ?? 'expected a reference to something that exists';
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function followTokens(root: unknown, tokens: readonly string[]): ReferenceResult | undefined {
  let value: unknown = root;
  for (const token of tokens) {
    if (Array.isArray(value)) value = /^\d+$/.test(token) ? value[Number(token)] : undefined;
    else value = isRecord(value) ? ownMember(value, token) : undefined;
  }
  return value === undefined ? undefined : { value, pointer: tokens.reduce<string>(childPointer, '') };
}

/** `$anchor: "x"`, or `$id: "#x"` as draft 7 writes it. */
function findAnchor(root: unknown, name: string): ReferenceResult | undefined {
  const queue: { readonly value: unknown; readonly pointer: string }[] = [{ value: root, pointer: '' }];
  for (const { value, pointer } of queue) {
    if (typeof value !== 'object' || value === null) continue;
    if (isRecord(value) && (ownMember(value, '$anchor') === name || ownMember(value, '$id') === `#${name}`)) {
      return { value, pointer };
    }
    for (const [key, child] of Object.entries(value)) {
      queue.push({ value: child, pointer: childPointer(pointer, key) });
    }
  }
  return undefined;
}

/**
 * The pointers from which a subschema leads back to itself without visiting a part of the value: checking such a
 * schema would never end. `links` names, for each pointer, the subschemas that check the same value.
 */
export function findEndlessReferences(links: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const endless: string[] = [];
  const done = new Set<string>();
  const open = new Set<string>();
  for (const start of links.keys()) {
    const path = [{ pointer: start, rest: [...(links.get(start) ?? [])] }];
    if (done.has(start)) continue;
    open.add(start);
    for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
      const next = here.rest.pop();
      if (next === undefined) {
        open.delete(here.pointer);
        done.add(here.pointer);
        path.pop();
      } else if (open.has(next)) {
        endless.push(next);
      } else if (!done.has(next)) {
        open.add(next);
        path.push({ pointer: next, rest: [...(links.get(next) ?? [])] });
      }
    }
  }
  return endless;
}
