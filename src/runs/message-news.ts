import { canonicalJson } from '../core/index.ts';
import type { Message } from '../protocol/index.ts';
import type { Truncation } from './conversation.ts';

/** What the log needs to be told so that the conversation becomes this one: usually what came after its end. */
export function messageNews(
  before: readonly Message[],
  after: readonly Message[],
): readonly (Message | Truncation)[] {
  const differs = before.findIndex((message, index) => !isSame(message, after[index]));
  if (differs === -1) return after.slice(before.length);
  return [{ truncateAfter: before[differs - 1]?.id ?? '' }, ...after.slice(differs)];
}

/** The very object in the usual case: what nobody touched was not copied. */
function isSame(one: Message, other: Message | undefined): boolean {
  return (
    one === other ||
    (other !== undefined && one.id === other.id && canonicalJson(one) === canonicalJson(other))
  );
}
