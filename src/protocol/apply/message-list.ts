import type { AssistantMessage, Message, Metadata, ToolCall } from '@ag-ui/core';

/**
 * The messages of a thread during a run. A returned list or message never changes; between two calls of `look`,
 * changes are made in place, so that a delta costs the same in every history.
 */
export interface MessageList {
  /** Returns the current messages; the returned list never changes. */
  look(): readonly Message[];
  find(id: string): Message | undefined;
  findCall(toolCallId: string): { readonly message: AssistantMessage; readonly call: ToolCall } | undefined;
  push(message: Message): void;
  /**
   * Inserts a message after the message with the tool call and the results that follow it; at the end without one.
   */
  insertResult(toolCallId: string, message: Message): void;
  /** Changes the first message with this id through a private copy; returns false without such a message. */
  change(id: string, edit: (message: Message) => void): boolean;
  /** Changes a tool call in the same way. */
  changeCall(toolCallId: string, edit: (call: ToolCall) => void): boolean;
  replaceAll(messages: readonly Message[]): void;
  /** Merges metadata into a private copy, key by key. */
  annotate(copy: { metadata?: Metadata }, metadata: Metadata | undefined): void;
}

/** Creates a message list with initial messages. */
export function createMessageList(initial: readonly Message[]): MessageList {
  let messages: Message[] = [...initial];
  let shown = true;
  let owned = new Set<object>();
  let index: MessageIndex | undefined;

  const indexed = () => (index ??= buildIndex(messages));
  const writable = (): Message[] => {
    if (shown) {
      messages = messages.slice();
      owned = new Set();
      shown = false;
    }
    return messages;
  };
  const ownedAt = (at: number): Message | undefined => {
    const list = writable();
    const message = list[at];
    if (message === undefined || owned.has(message)) return message;
    const copy = { ...message };
    list[at] = copy;
    owned.add(copy);
    return copy;
  };
  return {
    look() {
      shown = true;
      return messages;
    },
    find(id) {
      const at = indexed().byId.get(id);
      return at === undefined ? undefined : messages[at];
    },
    findCall(toolCallId) {
      const at = indexed().byCall.get(toolCallId);
      const message = at === undefined ? undefined : messages[at];
      if (message?.role !== 'assistant') return undefined;
      const call = message.toolCalls?.find(({ id }) => id === toolCallId);
      return call === undefined ? undefined : { message, call };
    },
    push(message) {
      const at = writable().push(message) - 1;
      owned.add(message);
      if (index !== undefined) addToIndex(index, message, at);
    },
    insertResult(toolCallId, message) {
      const list = writable();
      let at = (indexed().byCall.get(toolCallId) ?? list.length - 1) + 1;
      while (list[at]?.role === 'tool') at += 1;
      list.splice(at, 0, message);
      owned.add(message);
      if (at === list.length - 1) addToIndex(indexed(), message, at);
      else index = undefined;
    },
    change(id, edit) {
      const at = indexed().byId.get(id);
      const message = at === undefined ? undefined : ownedAt(at);
      if (message === undefined || at === undefined) return false;
      const { role } = message;
      edit(message);
      if (message.role === role) addToIndex(indexed(), message, at);
      else index = undefined;
      return true;
    },
    changeCall(toolCallId, edit) {
      const at = indexed().byCall.get(toolCallId);
      const message = at === undefined ? undefined : ownedAt(at);
      if (message?.role !== 'assistant') return false;
      const calls = ownedCalls(message, owned);
      const position = calls.findIndex(({ id }) => id === toolCallId);
      const call = calls[position];
      if (call === undefined) return false;
      const copy = owned.has(call) ? call : { ...call, function: { ...call.function } };
      owned.add(copy);
      calls[position] = copy;
      edit(copy);
      return true;
    },
    replaceAll(next) {
      messages = [...next];
      owned = new Set();
      shown = false;
      index = undefined;
    },
    annotate(copy, metadata) {
      if (metadata !== undefined) copy.metadata = { ...copy.metadata, ...metadata };
    },
  };
}

interface MessageIndex {
  /** The index of the first message with an id. */
  readonly byId: Map<string, number>;
  /** The index of the first message with a tool call. */
  readonly byCall: Map<string, number>;
}

function buildIndex(messages: readonly Message[]): MessageIndex {
  const index: MessageIndex = { byId: new Map(), byCall: new Map() };
  messages.forEach((message, at) => addToIndex(index, message, at));
  return index;
}

function addToIndex(index: MessageIndex, message: Message, at: number): void {
  if (!index.byId.has(message.id)) index.byId.set(message.id, at);
  if (message.role !== 'assistant') return;
  for (const { id } of message.toolCalls ?? []) if (!index.byCall.has(id)) index.byCall.set(id, at);
}

function ownedCalls(message: AssistantMessage, owned: Set<object>): ToolCall[] {
  const calls = message.toolCalls ?? [];
  if (owned.has(calls)) return calls;
  const copy = [...calls];
  owned.add(copy);
  message.toolCalls = copy;
  return copy;
}

/** Receives a sentence about an event that could not be applied. */
export type Warn = (warning: string) => void;
