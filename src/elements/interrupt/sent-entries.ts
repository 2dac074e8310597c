import { canonicalJson, defined, isRecord } from '../../core/index.ts';
import type { CardDraft } from './drafts.ts';
import { rememberOf } from './remember.ts';

/**
 * True when an answer has all that was entered in a card: another window of the same browser shows the same draft, and has sent it.
 * `current` gives the value of a form of the card by its name; `args` are the proposed arguments.
 */
export function hasAllEntries(
  payload: unknown,
  draft: CardDraft,
  { current, args }: { readonly current: (form: string) => unknown; readonly args: unknown },
): boolean {
  const answered = isRecord(payload) ? payload : {};
  const has = (entered: unknown) =>
    isSame(entered, payload) ||
    (isRecord(entered) && Object.entries(entered).every(([name, value]) => isSame(value, answered[name])));
  const { edits, reason, rejection, phrase, action } = draft;
  const forms = (['form', 'extras', 'output', 'rejection'] as const).filter(
    (name) => draft[name] !== undefined && !(name === 'rejection' && typeof rejection === 'string'),
  );
  const reasons = [reason, rejection].flatMap((text) =>
    typeof text === 'string' && text.trim() !== '' ? [text.trim()] : [],
  );
  return (
    forms.map(current).every((value) => value !== undefined && has(value)) &&
    (edits === undefined || isSame(current('edits'), answered['editedArgs'] ?? args)) &&
    reasons.every((text) => isSame(text, answered['reason'])) &&
    has({
      ...rememberOf({ draft }),
      ...defined({ action, confirmation: phrase === '' ? undefined : phrase }),
    })
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}
