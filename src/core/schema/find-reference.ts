import { childPointer, pointerTokens } from '../json-pointer.ts';
import { isRecord, ownMember } from '../json-value.ts';

/** The target of a `$ref` with its pointer in the schema; a string is the reason why there is no target. */
export type ReferenceResult = { readonly value: unknown; readonly pointer: string } | string;

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
