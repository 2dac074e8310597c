import { defined, isRecord, ownMember } from '../../core/index.ts';
import type { Message, Metadata } from '../../protocol/index.ts';
import type { ProviderMetadata, ProviderStreamPart } from './provider-model.ts';
import type { ProviderOptions } from './provider-prompt.ts';
import { isProviderOptions } from './provider-prompt.ts';

const KEY = 'aiSdk';

/** The note of a turn in its message, under `metadata.aiSdk`. */
interface TurnNote {
  /** Adds a call that the agent runs. */
  call(metadata: ProviderMetadata | undefined): void;
  /** Adds a call that the provider runs itself, or its result. */
  executed(part: Extract<ProviderStreamPart, { type: 'tool-call' | 'tool-result' }>): void;
  /** Undefined for an empty note. */
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
          : { result: part.result, ...defined({ isError: part.isError === true ? true : undefined }) };
      executed.set(toolCallId, { toolCallId, toolName, ...executed.get(toolCallId), ...said });
    },
    metadata() {
      const note = defined({
        calls: calls.some((metadata) => metadata !== null) ? calls : undefined,
        providerExecuted: executed.size === 0 ? undefined : [...executed.values()],
      });
      return Object.keys(note).length === 0 ? undefined : { [KEY]: note };
    },
  };
}

/**
 * The provider's metadata of the call at an index, such as a signature that it expects back. By index, because a
 * call with a repeated id got another id.
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
