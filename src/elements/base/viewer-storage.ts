import type { DraftStorage } from '../interrupt/drafts.ts';

let suffix = '';

/**
 * Says who uses the page. Drafts, unsent messages and kept interrupts of another viewer are then neither shown nor sent. Call it
 * before the elements are on the page, and load the page anew when another person signs in. Default: one viewer without a name.
 *
 * @example
 * ```ts
 * import { setViewer } from 'holdpoint/elements';
 *
 * setViewer('ana@example.com');
 * ```
 */
export function setViewer(id: string): void {
  suffix = id === '' ? '' : `@${id}`;
}

/** The entries of the current viewer in a storage of the page. */
function entriesOfViewer(storage: () => Storage): DraftStorage {
  return {
    getItem: (key) => storage().getItem(`${key}${suffix}`),
    setItem: (key, value) => storage().setItem(`${key}${suffix}`, value),
    removeItem: (key) => storage().removeItem(`${key}${suffix}`),
  };
}

const IN_BROWSER = entriesOfViewer(() => localStorage);

/** What the viewer leaves in this tab. */
export const TAB_STORAGE: DraftStorage = entriesOfViewer(() => sessionStorage);

/**
 * What the viewer leaves in this browser, for `storage` of a client and `drafts` of a card; undefined where there is no page, as on a
 * server that renders React.
 *
 * @example
 * ```ts
 * import { createClient } from 'holdpoint/client';
 * import { browserStorage } from 'holdpoint/elements';
 *
 * const storage = browserStorage();
 * const client = createClient({ url: '/agents/assistant', ...(storage === undefined ? {} : { storage }) });
 * ```
 */
export function browserStorage(): DraftStorage | undefined {
  return typeof localStorage === 'undefined' ? undefined : IN_BROWSER;
}
