import type { InboxItem } from '../../src/client/index.ts';
import { isRecord } from '../../src/core/index.ts';
import type { Decision } from '../../src/elements/index.ts';
import { cardFacts, DECISION_ICONS, rowTitle } from '../../src/elements/index.ts';
import { TAB_STORAGE } from '../../src/elements/base/viewer-storage.ts';

const KEY = 'holdpoint:decisions';

/** A notice that can be undone after the page is loaded again. */
export interface StoredNotice {
  readonly items: readonly InboxItem[];
  readonly text: string;
  readonly decision?: Decision;
  readonly reason?: string;
  readonly hasFailed: boolean;
  /** When the undo ends, in milliseconds since 1970. */
  readonly endsAt: number;
}

/** A decision whose call has not run, or has failed and is not closed. */
export interface FollowedDecision {
  readonly item: InboxItem;
  /** When its undo ends, in milliseconds since 1970. */
  readonly from: number;
}

/** The decisions of this tab that outlast a reload. */
export interface StoredDecisions {
  readonly notices: readonly StoredNotice[];
  readonly followed: readonly FollowedDecision[];
  /** What was entered in the decided cards, by its place in the storage. */
  readonly drafts: Readonly<Record<string, string>>;
}

/** Stores the decisions for this tab; removes them when there are none. */
export function writeDecisions({ notices, followed, drafts }: StoredDecisions): void {
  if (notices.length === 0 && followed.length === 0) {
    TAB_STORAGE.removeItem(KEY);
    return;
  }
  const stored = {
    notices: notices.map((notice) => ({ ...notice, items: notice.items.map(slim) })),
    followed: followed.map(({ item, from }) => ({ item: slim(item), from })),
    drafts,
  };
  try {
    TAB_STORAGE.setItem(KEY, JSON.stringify(stored));
  } catch {
    // A full storage: the decisions do not outlast a reload.
    TAB_STORAGE.removeItem(KEY);
  }
}

/** The stored decisions of this tab. */
export function readDecisions(): StoredDecisions {
  const { notices, followed, drafts } = parsed(TAB_STORAGE.getItem(KEY));
  return {
    notices: Array.isArray(notices) ? notices.filter(isNotice) : [],
    followed: Array.isArray(followed) ? followed.filter(isFollowed) : [],
    drafts: isRecord(drafts)
      ? Object.fromEntries(
          Object.entries(drafts).flatMap(([key, draft]) => (typeof draft === 'string' ? [[key, draft]] : [])),
        )
      : {},
  };
}

/** As much of a request as its notice and its undo need; the server has the rest. */
function slim({ threadId, interrupt }: InboxItem): InboxItem {
  const { id, reason, responseSchema } = interrupt;
  const title = rowTitle(cardFacts(interrupt));
  return {
    threadId,
    interrupt: {
      id,
      reason,
      ...(responseSchema === undefined ? {} : { responseSchema }),
      metadata: { title },
    },
  };
}

function parsed(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isNotice(value: unknown): value is StoredNotice {
  return (
    isRecord(value) &&
    Array.isArray(value['items']) &&
    value['items'].every(isItem) &&
    typeof value['text'] === 'string' &&
    typeof value['endsAt'] === 'number' &&
    typeof value['hasFailed'] === 'boolean' &&
    (value['decision'] === undefined || isDecision(value['decision']))
  );
}

function isDecision(value: unknown): value is Decision {
  return typeof value === 'string' && Object.hasOwn(DECISION_ICONS, value);
}

function isFollowed(value: unknown): value is FollowedDecision {
  return isRecord(value) && isItem(value['item']) && typeof value['from'] === 'number';
}

function isItem(value: unknown): value is InboxItem {
  return (
    isRecord(value) &&
    typeof value['threadId'] === 'string' &&
    isRecord(value['interrupt']) &&
    typeof value['interrupt']['id'] === 'string' &&
    typeof value['interrupt']['reason'] === 'string'
  );
}
