import type { Interrupt } from '../../protocol/index.ts';
import type { Draft } from '../form/field.ts';

/** The entered values of a card until its answer is sent. */
export interface CardDraft {
  readonly form?: Draft;
  readonly edits?: Draft;
  readonly extras?: Draft;
  /** The output that a person gives in place of the answer that the call runs again with. */
  readonly output?: Draft;
  readonly editing?: boolean;
  readonly reason?: string;
  /** The reason or the form of a rejection: a person who then approves does not send it. */
  readonly rejection?: Draft;
  readonly phrase?: string;
  readonly action?: string;
  readonly page?: number;
  readonly remember?: string;
  /** Limits of the remembered decision, as entered. */
  readonly forMs?: string;
  readonly maxUses?: string;
  readonly maxTotal?: string;
}

/** Storage for drafts; `localStorage` fits. */
export interface DraftStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** True when the interrupt asks for secrets: its draft is never stored. */
export function asksForSecrets(schema: unknown): boolean {
  return /"writeOnly":true|"format":"password"/.test(JSON.stringify(schema ?? {}));
}

/** Reads a stored draft; an empty one when nothing readable is stored. */
function readCardDraft(storage: DraftStorage | undefined, key: string): CardDraft {
  try {
    const text = storage?.getItem(key) ?? null;
    const value: unknown = text === null ? {} : JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Reads the stored draft of an interrupt; one that was asked again continues with the draft of the expired one. */
export function readDraftOf(
  storage: DraftStorage | undefined,
  key: string,
  { id, metadata = {} }: Pick<Interrupt, 'id' | 'metadata'>,
): CardDraft {
  const own = readCardDraft(storage, key);
  const { supersedes } = metadata;
  if (Object.keys(own).length > 0 || typeof supersedes !== 'string') return own;
  return readCardDraft(
    storage,
    key.replace(id, () => supersedes),
  );
}

/**
 * True when a person has entered something. An open form without entries and the page of a wizard do not count, nor does the reason of
 * a rejection, which the card shows only while it asks for one.
 */
export function hasEntries(draft: CardDraft): boolean {
  const { editing: _editing, page: _page, rejection: _rejection, ...entered } = draft;
  return Object.values(entered).some((value) => value !== undefined && value !== '' && value !== false);
}

/** Stores a draft. A full or forbidden storage loses the draft on reload and does nothing else. */
export function writeCardDraft(
  storage: DraftStorage | undefined,
  key: string,
  draft: CardDraft | undefined,
): void {
  try {
    if (draft === undefined) storage?.removeItem(key);
    else storage?.setItem(key, JSON.stringify(draft));
  } catch {
    // The draft is optional.
  }
}
