import type { Part } from '@a2a-js/sdk';
import type { ExecutionEventBus } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { IdGenerator } from '../../core/index.ts';
import type { AgentStreamEvent } from '../../protocol/index.ts';
import { EventType } from '../../protocol/index.ts';
import { dataPart, textPart } from '../parts.ts';
import type { TaskIds } from './request-input.ts';

/** Characters of an artifact update, so that the task is not stored for each word. */
const CHUNK_LENGTH = 400;

/** Publishes the messages of a run as artifacts, in chunks, and its result as a further artifact. */
export interface TextArtifacts {
  take(event: AgentStreamEvent): void;
  /** Publishes a whole text, of a run without events. */
  text(text: string): void;
  /** The number of messages so far. */
  readonly count: number;
  result(value: unknown): void;
}

export function createTextArtifacts(
  bus: ExecutionEventBus,
  task: TaskIds,
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
          // The artifact gets an id of its own: message ids are not shown to callers.
          count += 1;
          open.set(event.messageId, { artifactId: newId(), text: '', chunks: 0 });
          break;
        case EventType.TEXT_MESSAGE_CONTENT: {
          const message = open.get(event.messageId);
          if (message !== undefined) message.text += event.delta;
          if ((message?.text.length ?? 0) >= CHUNK_LENGTH) flush(event.messageId, false);
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
