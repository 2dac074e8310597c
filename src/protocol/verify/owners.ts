import type { Message } from '@ag-ui/core';

/** Separate id spaces: one id may appear in several of them. */
export type OwnerSpace = 'message' | 'tool call' | 'reasoning message' | 'activity';

/** The subagent of each message, call and activity; undefined is the agent itself. */
export interface Owners {
  /** True when the id is known; its owner may still be the agent itself. */
  has(space: OwnerSpace, id: string): boolean;
  get(space: OwnerSpace, id: string): string | undefined;
  set(space: OwnerSpace, id: string, owner: string | undefined): void;
  /** Takes owners from stored messages; `override` replaces known owners. */
  seed(messages: readonly Message[], override: boolean): void;
}

export function createOwners(): Owners {
  const spaces: Readonly<Record<OwnerSpace, Map<string, string | undefined>>> = {
    message: new Map(),
    'tool call': new Map(),
    'reasoning message': new Map(),
    activity: new Map(),
  };
  return {
    has: (space, id) => spaces[space].has(id),
    get: (space, id) => spaces[space].get(id),
    // oxlint-disable-next-line max-params -- the shape of Map.set, one level up
    set: (space, id, owner) => {
      spaces[space].set(id, owner);
    },
    seed(messages, override) {
      for (const message of messages) {
        const known = spaces[spaceOf(message)];
        if (override || !known.has(message.id)) known.set(message.id, message.subagentRunId);
        const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
        for (const { id } of calls) {
          if (override || !spaces['tool call'].has(id)) spaces['tool call'].set(id, message.subagentRunId);
        }
      }
    },
  };
}

function spaceOf(message: Message): OwnerSpace {
  if (message.role === 'reasoning') return 'reasoning message';
  return message.role === 'activity' ? 'activity' : 'message';
}
