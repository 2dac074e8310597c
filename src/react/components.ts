import type { EventName } from '@lit/react';
import { createComponent } from '@lit/react';
import type { HTMLAttributes, ReactElement, RefAttributes } from 'react';
import * as React from 'react';
import { createElement, useEffect, useMemo, useState } from 'react';
import type { InboxItem } from '../client/index.ts';
import { defined } from '../core/index.ts';
import type {
  DecideAllDetail,
  ElementProps,
  HoldpointEvents,
  HoldpointTags,
  InboxQuery,
  InboxRow,
  SentDetail,
} from '../elements/index.ts';
import {
  browserStorage,
  HoldpointChatElement,
  HoldpointHistoryElement,
  HoldpointInboxElement,
  HoldpointInterruptElement,
  plainAnswer,
  readInboxQuery,
  toInboxFilter,
  toRow,
  uploadTo,
} from '../elements/index.ts';
import type { InterruptView } from './hooks.ts';
import { useInbox } from './hooks.ts';
import { useStores } from './holdpoint-provider.ts';

type ReactElements = {
  [Tag in keyof HoldpointTags]: HTMLAttributes<HoldpointTags[Tag]> &
    RefAttributes<HoldpointTags[Tag]> &
    ElementProps<HoldpointTags[Tag]>;
};

declare module 'react' {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- React's types have this namespace.
  namespace JSX {
    interface IntrinsicElements extends ReactElements {}
  }
}

type Named<Name extends keyof HoldpointEvents> = EventName<CustomEvent<HoldpointEvents[Name]>>;
/** The name of an event with the type of its detail, which is a type only. */
const named = <Name extends keyof HoldpointEvents>(name: Name) => name as unknown as Named<Name>;

const ChatElement = createComponent({
  react: React,
  tagName: 'holdpoint-chat',
  elementClass: HoldpointChatElement,
  events: { onSent: named('holdpoint-sent') },
});
export const InterruptElement = createComponent({
  react: React,
  tagName: 'holdpoint-interrupt',
  elementClass: HoldpointInterruptElement,
  events: {
    onAnswer: named('holdpoint-answer'),
    onRetry: named('holdpoint-retry'),
    onAskAgain: named('holdpoint-ask-again'),
    onWithdraw: named('holdpoint-withdraw'),
    onClose: named('holdpoint-close'),
  },
});
const InboxElement = createComponent({
  react: React,
  tagName: 'holdpoint-inbox',
  elementClass: HoldpointInboxElement,
  events: {
    onOpen: named('holdpoint-open'),
    onFilter: named('holdpoint-filter'),
    onMore: named('holdpoint-more'),
    onDecideAll: named('holdpoint-decide-all'),
  },
});
const HistoryElement = createComponent({
  react: React,
  tagName: 'holdpoint-history',
  elementClass: HoldpointHistoryElement,
});

/** Properties of {@link Chat}. */
export interface ChatProps {
  /** Id of the thread. Default: a new thread; `onSent` tells its id. */
  readonly threadId?: string;
  /** Name of the agent, as shown to people. Default: "The agent". */
  readonly agent?: string;
  /** Messages to start with. Default: none. */
  readonly suggestions?: readonly string[];
  /** Called when the person sends a message; puts the id of a new thread into your address. */
  readonly onSent?: (sent: SentDetail) => void;
  readonly className?: string;
}

/**
 * A conversation with its cards and the message input. Give it a height.
 *
 * @example
 * ```ts
 * import { Chat } from 'holdpoint/react';
 * import { createElement } from 'react';
 *
 * createElement(Chat, { threadId: 'order-17' });
 * ```
 */
export function Chat({ threadId, agent, suggestions, onSent, className }: ChatProps): ReactElement {
  const { client, url } = useStores();
  return createElement(ChatElement, {
    client,
    ...defined({ url, threadId, agent, suggestions, className }),
    onSent: ({ detail }) => onSent?.(detail),
  });
}

/** Properties of {@link InterruptCard}. */
export interface InterruptCardProps {
  /** From `useInterrupts` or `useInterrupt`. */
  readonly card: InterruptView;
  /** Name of the agent, as shown to people. Default: not shown. */
  readonly agent?: string;
}

/**
 * One interrupt as a card: approve, reject, edit, answer, cancel. The card keeps a draft over a reload.
 *
 * @example
 * ```ts
 * import { InterruptCard, useInterrupts } from 'holdpoint/react';
 * import { createElement } from 'react';
 *
 * const Cards = () => useInterrupts('order-17').map((card) => createElement(InterruptCard, { card, key: card.id }));
 * ```
 */
export function InterruptCard({ card, agent }: InterruptCardProps): ReactElement {
  const { threadId, id, interrupt, status, item, waitingFor, mayWithdraw } = card;
  const {
    raisedAt,
    askedBy,
    isAskedByYou = false,
  }: Partial<InboxRow> = item === undefined ? {} : toRow(item);
  const { url } = useStores();
  const upload = useMemo(() => uploadTo(threadId, { agentUrl: url }), [threadId, url]);
  return createElement(InterruptElement, {
    interrupt,
    status,
    draftKey: `${threadId}:${id}`,
    upload,
    waitingFor,
    withdrawable: mayWithdraw,
    closable: status.state === 'lost' || status.state === 'answered',
    drafts: browserStorage(),
    askedByYou: isAskedByYou,
    ...defined({ raisedAt, askedBy, agent }),
    onAnswer: ({ detail }) => void card.send(detail.entry),
    onRetry: () => void card.retry(),
    onAskAgain: () => void card.askAgain(),
    onWithdraw: () => void card.withdraw(),
    onClose: () => card.dismiss(),
  });
}

/** Properties of {@link Inbox}. */
export interface InboxProps {
  /** Called when a row is opened. Default: the browser follows the link of `hrefOf`. */
  readonly onOpen?: (item: InboxItem) => void;
  /** The address of an interrupt. Default: `/inbox/<thread>/<interrupt>`. */
  readonly hrefOf?: (item: InboxItem) => string;
  readonly className?: string;
}

/**
 * The open interrupts of all threads, with search, filters and decisions about several. Give it a height.
 *
 * @example
 * ```ts
 * import { Inbox } from 'holdpoint/react';
 * import { createElement } from 'react';
 *
 * createElement(Inbox, { onOpen: ({ interrupt }) => console.log(interrupt.id) });
 * ```
 */
export function Inbox({ onOpen, hrefOf, className }: InboxProps): ReactElement {
  const [query, setQuery] = useState<InboxQuery>(() => readInboxQuery(''));
  const filter = useMemo(() => toInboxFilter(query, Date.now()), [query]);
  const { items, hasMore, updatedAt, isStale, more, answer, refresh } = useInbox(filter);
  const decideAll = async ({ items: chosen, approved, reason }: DecideAllDetail) => {
    const answers = chosen.map(async (item) => {
      const entry = plainAnswer(toRow(item), approved, reason);
      if (entry !== undefined) await answer(item, entry);
    });
    // After a conflict, the refreshed list no longer has the request.
    await Promise.allSettled(answers);
    await refresh();
  };
  return createElement(InboxElement, {
    items,
    query,
    more: hasMore,
    stale: isStale,
    ...defined({ updatedAt, hrefOf, className }),
    onOpen: (event) => {
      if (onOpen === undefined) return;
      event.preventDefault();
      onOpen(event.detail.item);
    },
    onFilter: ({ detail }) => setQuery({ ...query, ...detail }),
    onMore: () => void more(),
    onDecideAll: ({ detail }) => void decideAll(detail),
  });
}

/** Properties of {@link History}. */
export interface HistoryProps {
  readonly threadId: string;
  readonly interruptId: string;
}

/**
 * The history of an interrupt: what happened, by whom, when and through which channel.
 *
 * @example
 * ```ts
 * import { History } from 'holdpoint/react';
 * import { createElement } from 'react';
 *
 * createElement(History, { threadId: 'order-17', interruptId: 'i-1' });
 * ```
 */
export function History({ threadId, interruptId }: HistoryProps): ReactElement {
  const { client } = useStores();
  const [entries, setEntries] = useState<readonly Readonly<Record<string, unknown>>[]>([]);
  useEffect(() => {
    const left = new AbortController();
    const load = async () => {
      const found = await client.inbox.history(threadId, interruptId).catch(() => []);
      if (!left.signal.aborted) setEntries(found);
    };
    void load();
    return () => left.abort();
  }, [client, threadId, interruptId]);
  return createElement(HistoryElement, { entries, name: interruptId });
}
