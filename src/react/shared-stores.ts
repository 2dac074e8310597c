import type { Client, InboxFilter } from '../client/index.ts';
import type { Conversation, InboxSnapshot, InboxStore, RequestStore } from '../elements/index.ts';
import { createConversation, createInboxStore, createRequest } from '../elements/index.ts';

interface Store<Snapshot> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => Snapshot;
}

/** A store that opens with its first subscriber and closes after its last one. */
export interface SharedStore<Actions extends Store<unknown>> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: Actions['getSnapshot'];
  /** The snapshot of a server, and of the first render in a browser. */
  readonly getServerSnapshot: Actions['getSnapshot'];
  readonly actions: Actions;
}

/** The stores of one client: components that show the same thread, list or interrupt share one. */
export interface SharedStores {
  readonly client: Client;
  /** URL of the agent, if the provider has it; files are uploaded to its host. */
  readonly url: string | undefined;
  readonly conversation: (threadId: string) => SharedStore<Conversation>;
  readonly inbox: (filter: InboxFilter | undefined) => SharedStore<Omit<InboxStore, 'close'>>;
  readonly request: (threadId: string, interruptId: string) => SharedStore<RequestStore>;
}

/** Creates the stores of a client. Nothing is sent before a component subscribes, so a server can render with them. */
export function createSharedStores(client: Client, url?: string): SharedStores {
  const conversations = new Map<string, SharedStore<Conversation>>();
  const inboxes = new Map<string, SharedStore<Omit<InboxStore, 'close'>>>();
  const requests = new Map<string, SharedStore<RequestStore>>();
  const inbox = (filter: InboxFilter | undefined) =>
    shared(inboxes, JSON.stringify(filter ?? {}), () => lazyInbox(client, filter));
  return {
    client,
    url,
    inbox,
    conversation: (threadId) =>
      shared(conversations, threadId, () => {
        const store = createConversation(client, threadId);
        const open = () => {
          store.open();
          return () => store.close();
        };
        return { store, open };
      }),
    request: (threadId, interruptId) =>
      shared(requests, JSON.stringify([threadId, interruptId]), () => {
        const store = createRequest(client, { threadId, interruptId });
        const open = () => {
          void store.load();
          return followItem(store, inbox(undefined), { threadId, interruptId });
        };
        return { store, open };
      }),
  };
}

/**
 * Loads an interrupt again when its entry in the inbox changes. All interrupts of a provider share the stream of the whole
 * inbox: a browser has six connections per host. An open interrupt that the first pages leave out is loaded after each change.
 */
function followItem(
  store: RequestStore,
  inbox: Store<InboxSnapshot>,
  { threadId, interruptId }: { readonly threadId: string; readonly interruptId: string },
): () => void {
  let before: string | undefined;
  return inbox.subscribe(() => {
    const { item, status } = store.getSnapshot();
    const listed = inbox
      .getSnapshot()
      .items.find((one) => one.threadId === threadId && one.interrupt.id === interruptId);
    const now = listed && JSON.stringify(listed);
    const isSettled = item?.['status'] === 'resolved' || item?.['status'] === 'cancelled';
    if (status.state === 'sending' || (now === before && (now !== undefined || isSettled))) return;
    before = now;
    void store.load();
  });
}

const NO_ITEMS: InboxSnapshot = { items: [], hasMore: false, updatedAt: undefined, isStale: false };

/** An inbox store loads from its creation, so it is created when it is opened. */
function lazyInbox(client: Client, filter: InboxFilter | undefined) {
  const listeners = new Set<() => void>();
  let opened: InboxStore | undefined;
  const store: Omit<InboxStore, 'close'> = {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => opened?.getSnapshot() ?? NO_ITEMS,
    refresh: async () => opened?.refresh(),
    more: async () => opened?.more(),
  };
  const open = () => {
    const inbox = createInboxStore(client, undefined, filter);
    opened = inbox;
    inbox.subscribe(() => {
      for (const listener of listeners) listener();
    });
    return () => inbox.close();
  };
  return { store, open };
}

/**
 * The store of a key. It opens with the first subscriber, and closes a turn after the last one: StrictMode and a change of
 * page unsubscribe and subscribe again at once.
 */
function shared<Actions extends Store<unknown>>(
  stores: Map<string, SharedStore<Actions>>,
  key: string,
  create: () => { readonly store: Actions; readonly open: () => () => void },
): SharedStore<Actions> {
  const known = stores.get(key);
  if (known !== undefined) return known;
  const { store: actions, open } = create();
  const first = actions.getSnapshot();
  let users = 0;
  let close: (() => void) | undefined;
  const leave = () => {
    if (users > 0 || close === undefined) return;
    close();
    close = undefined;
    stores.delete(key);
  };
  const made: SharedStore<Actions> = {
    subscribe(listener) {
      users += 1;
      close ??= open();
      const unsubscribe = actions.subscribe(listener);
      return () => {
        unsubscribe();
        users -= 1;
        setTimeout(leave);
      };
    },
    getSnapshot: actions.getSnapshot,
    getServerSnapshot: () => first,
    actions,
  };
  stores.set(key, made);
  return made;
}
