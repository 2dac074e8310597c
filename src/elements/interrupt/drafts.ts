import type { Draft } from '../form/field.ts';

/** What a card keeps while its answer is not sent. */
export interface CardDraft {
  readonly form?: Draft;
  readonly edits?: Draft;
  readonly extras?: Draft;
  readonly editing?: boolean;
  readonly reason?: string;
  readonly phrase?: string;
  readonly action?: string;
  readonly page?: number;
  readonly remember?: string;
}

/** Where drafts are kept; `localStorage` fits. */
export interface DraftStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** A question that asks for secrets: what is typed into it is kept nowhere. */
export function asksForSecrets(schema: unknown): boolean {
  return /"writeOnly":true|"format":"password"/.test(JSON.stringify(schema ?? {}));
}

export function readCardDraft(storage: DraftStorage | undefined, key: string): CardDraft {
  try {
    const text = storage?.getItem(key) ?? null;
    const value: unknown = text === null ? {} : JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A storage that is full or forbidden costs the draft over a reload, nothing else. */
export function writeCardDraft(
  storage: DraftStorage | undefined,
  key: string,
  draft: CardDraft | undefined,
): void {
  try {
    if (draft === undefined) storage?.removeItem(key);
    else storage?.setItem(key, JSON.stringify(draft));
  } catch {
    // Nothing depends on it.
  }
}
