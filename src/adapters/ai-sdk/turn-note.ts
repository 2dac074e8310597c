import { isRecord, ownMember } from '../../core/index.ts';
import type { Message, Metadata } from '../../protocol/index.ts';
import type { ProviderMetadata, ProviderStreamPart } from './provider-model.ts';
import type { ProviderOptions } from './provider-prompt.ts';
import { isProviderOptions } from './provider-options.ts';

const KEY = 'aiSdk';

/** What a turn's message remembers, under `metadata.aiSdk`. */
export interface TurnNote {
  /** A call for us to run. */
  call(metadata: ProviderMetadata | undefined): void;
  /** A call that the provider runs itself, or what came of it. */
  executed(part: Extract<ProviderStreamPart, { type: 'tool-call' | 'tool-result' }>): void;
  /** Undefined when there is nothing to remember. */
  metadata(): Metadata | undefined;
}

/** An empty note. */
export function createTurnNote(): TurnNote {
  const calls: (ProviderMetadata | null)[] = [];
  const executed = new Map<string, Metadata>();
  return {
    call(metadata) {
      calls.push(metadata ?? null);
    },
    executed({ toolCallId, toolName, ...part }) {
      const said =
        part.type === 'tool-call'
          ? { input: part.input }
          : { result: part.result, ...(part.isError === true ? { isError: true } : {}) };
      executed.set(toolCallId, { toolCallId, toolName, ...executed.get(toolCallId), ...said });
    },
    metadata() {
      const note = {
        ...(calls.some((metadata) => metadata !== null) ? { calls } : {}),
        ...(executed.size === 0 ? {} : { providerExecuted: [...executed.values()] }),
      };
      return Object.keys(note).length === 0 ? undefined : { [KEY]: note };
    },
  };
}

/**
 * What the provider said about the call at an index, such as a signature that it wants back. By position, because a
 * call whose id was taken has another one now.
 */
export function callOptions(
  message: Extract<Message, { role: 'assistant' }>,
  index: number,
): ProviderOptions | undefined {
  const note = message.metadata === undefined ? undefined : ownMember(message.metadata, KEY);
  const calls = isRecord(note) ? ownMember(note, 'calls') : undefined;
  if (!Array.isArray(calls) || calls.length !== message.toolCalls?.length) return undefined;
  const options: unknown = calls[index];
  return isProviderOptions(options) ? options : undefined;
}
