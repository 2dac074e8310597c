import type { Part } from '@a2a-js/sdk';
import type { ExecutionEventBus } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { IdGenerator } from '../../core/index.ts';
import type { AgentStreamEvent } from '../../protocol/index.ts';
import { EventType } from '../../protocol/index.ts';
import { dataPart, textPart } from '../parts.ts';
import type { AskingTask } from './request-input.ts';

/** Letters that wait for others, so that the task is not stored for each word. */
const CHUNK = 400;

/** Makes artifacts of what an agent says: one for each message, in chunks, and one for the result. */
export interface TextArtifacts {
  take(event: AgentStreamEvent): void;
  /** A text that nobody saw being written. */
  text(text: string): void;
  /** Texts so far. */
  readonly count: number;
  result(value: unknown): void;
}

export function createTextArtifacts(
  bus: ExecutionEventBus,
  task: AskingTask,
  newId: IdGenerator,
): TextArtifacts {
  const open = new Map<string, { readonly artifactId: string; text: string; chunks: number }>();
  const publish = (
    artifactId: string,
    parts: Part[],
    given: { name: string; append: boolean; last: boolean },
  ) => {
    const { taskId, contextId } = task;
    const artifact = {
      artifactId,
      name: given.name,
      description: '',
      parts,
      metadata: undefined,
      extensions: [],
    };
    const { append, last: lastChunk } = given;
    bus.publish(
      AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk, metadata: undefined }),
    );
  };
  const flush = (messageId: string, last: boolean) => {
    const message = open.get(messageId);
    if (message === undefined || (message.text === '' && (!last || message.chunks === 0))) return;
    const { artifactId, text, chunks } = message;
    publish(artifactId, [textPart(text)], { name: 'message', append: chunks > 0, last });
    message.text = '';
    message.chunks += 1;
  };
  let count = 0;
  return {
    get count() {
      return count;
    },
    text(text) {
      if (text !== '') publish(newId(), [textPart(text)], { name: 'message', append: false, last: true });
    },
    take(event) {
      switch (event.type) {
        case EventType.TEXT_MESSAGE_START:
          // The message's own id stays inside.
          count += 1;
          open.set(event.messageId, { artifactId: newId(), text: '', chunks: 0 });
          break;
        case EventType.TEXT_MESSAGE_CONTENT: {
          const message = open.get(event.messageId);
          if (message !== undefined) message.text += event.delta;
          if ((message?.text.length ?? 0) >= CHUNK) flush(event.messageId, false);
          break;
        }
        case EventType.TEXT_MESSAGE_END:
          flush(event.messageId, true);
          open.delete(event.messageId);
          break;
        default:
      }
    },
    result(value) {
      publish(newId(), [dataPart(value)], { name: 'result', append: false, last: true });
    },
  };
}
