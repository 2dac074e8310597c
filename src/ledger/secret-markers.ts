import type { JsonValue } from '../core/index.ts';
import { isRecord, ownMember } from '../core/index.ts';

const MEMBER = '$secret';

/** What stands for a secret wherever an answer is kept: the question it answers, and which of its secrets it is. */
export function secretMarker(interruptId: string, index: number): { readonly [MEMBER]: string } {
  return { [MEMBER]: `${interruptId}/${index}` };
}

/** Whether a value has something in it that could be taken for a marker. */
export function hasMarkers(value: unknown): boolean {
  return markersIn(value).size > 0;
}

/** The questions whose secrets a value stands for. */
export function markersIn(value: unknown): Set<string> {
  const found = new Set<string>();
  // A set, which holds each part once: what goes round is refused elsewhere, and must not go on for ever here.
  const queue = new Set<unknown>([value]);
  for (const part of queue) {
    if (typeof part !== 'object' || part === null) continue;
    const name = isRecord(part) ? ownMember(part, MEMBER) : undefined;
    if (name === undefined) for (const member of Object.values(part)) queue.add(member);
    else found.add(questionOf(name));
  }
  return found;
}

/** A copy of a value with the secrets in place of their markers; the very value when it has none. */
export function openMarkers(value: unknown, secrets: ReadonlyMap<string, readonly JsonValue[]>): unknown {
  if (secrets.size === 0 || !hasMarkers(value)) return value;
  if (Array.isArray(value)) return value.map((item) => openMarkers(item, secrets));
  if (!isRecord(value)) return value;
  const name = ownMember(value, MEMBER);
  if (typeof name === 'string') {
    return secrets.get(questionOf(name))?.[Number(name.slice(name.lastIndexOf('/') + 1))] ?? null;
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, openMarkers(part, secrets)]));
}

function questionOf(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, Math.max(0, name.lastIndexOf('/'))) : '';
}
