import type { Artifact, Part } from '@a2a-js/sdk';
import type { ExecutionEventBus } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { UnknownRecord } from '../../core/index.ts';
import { digestJson, isRecord } from '../../core/index.ts';
import type { AgentStreamEvent, Message } from '../../protocol/index.ts';
import { EventType } from '../../protocol/index.ts';
import { dataPart, filePart, textPart } from '../parts.ts';
import type { TaskIds } from './request-input.ts';

/** Characters of an artifact update, so that the task is not stored for each word. */
const CHUNK_LENGTH = 400;

/** The type of the activities that become artifacts; `a2aAgent` emits them too. */
const ARTIFACT = 'ARTIFACT';

/**
 * Publishes the output of a run as artifacts: texts in chunks, `ARTIFACT` activities as files and data, the result as data. The id of an
 * artifact follows from the message that it shows, so that an artifact that is published again replaces itself.
 */
export interface RunArtifacts {
  take(event: AgentStreamEvent): void;
  /**
   * Publishes the messages of the stored conversation, if there are any. They replace the texts and files of `replaces`: some of these
   * may be from a process that died before it stored them.
   */
  messages(
    messages: readonly Message[],
    options: { readonly replaces: readonly Artifact[] | undefined },
  ): void;
  result(value: unknown): void;
}

export function createRunArtifacts(bus: ExecutionEventBus, task: TaskIds): RunArtifacts {
  const { taskId, contextId } = task;
  const open = new Map<string, { text: string; chunks: number }>();
  const shown = new Set<string>();
  // Ids of messages are not shown to callers.
  const idOf = (source: string) => digestJson([taskId, source]).slice(0, ID_LENGTH);
  const publish = (source: string, parts: Part[], given: Named & { append?: boolean; last?: boolean }) => {
    shown.add(idOf(source));
    publishAs(idOf(source), parts, given);
  };
  const publishAs = (
    artifactId: string,
    parts: Part[],
    given: Named & { append?: boolean; last?: boolean },
  ) => {
    const { name, description = '', append = false, last: lastChunk = true } = given;
    const artifact = { artifactId, name, description, parts, metadata: undefined, extensions: [] };
    bus.publish(
      AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk, metadata: undefined }),
    );
  };
  const flush = (messageId: string, last: boolean) => {
    const message = open.get(messageId);
    if (message === undefined || (message.text === '' && (!last || message.chunks === 0))) return;
    const { text, chunks } = message;
    publish(messageId, [textPart(text)], { name: 'message', append: chunks > 0, last });
    message.text = '';
    message.chunks += 1;
  };
  const showActivity = (messageId: string, type: string, content: unknown) => {
    const part = type === ARTIFACT && isRecord(content) ? partOf(content['part']) : undefined;
    if (part !== undefined && isRecord(content)) publish(messageId, [part], namesOf(content));
  };
  return {
    take(event) {
      switch (event.type) {
        case EventType.TEXT_MESSAGE_START:
          open.set(event.messageId, { text: '', chunks: 0 });
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
        case EventType.ACTIVITY_SNAPSHOT:
          showActivity(event.messageId, event.activityType, event.content);
          break;
        default:
      }
    },
    messages(messages, { replaces: before = [] }) {
      if (messages.length === 0) return;
      const earlier = new Set([...shown, ...before.map(({ artifactId }) => artifactId)]);
      for (const { id } of messages) earlier.delete(idOf(id));
      earlier.delete(idOf(RESULT));
      for (const artifactId of earlier) publishAs(artifactId, [], { name: 'message' });
      for (const message of messages) {
        if (message.role === 'activity') showActivity(message.id, message.activityType, message.content);
        if (message.role !== 'assistant' || typeof message.content !== 'string' || message.content === '')
          continue;
        publish(message.id, [textPart(message.content)], { name: 'message' });
      }
    },
    result(value) {
      publish(RESULT, [dataPart(value)], { name: 'result' });
    },
  };
}

const ID_LENGTH = 32;
/** Stands for the result of the task; no message has this id. */
const RESULT = '';

interface Named {
  readonly name: string;
  readonly description?: string;
}

function namesOf({ name, description }: UnknownRecord): Named {
  return {
    name: typeof name === 'string' ? name : 'file',
    ...(typeof description === 'string' ? { description } : {}),
  };
}

/** The part of an `ARTIFACT` activity; undefined for another value. */
function partOf(value: unknown): Part | undefined {
  if (!isRecord(value)) return undefined;
  const { type, data, url, bytes, filename, mediaType } = value;
  if (type === 'data') return dataPart(data);
  const names = {
    filename: typeof filename === 'string' ? filename : '',
    mediaType: typeof mediaType === 'string' ? mediaType : '',
  };
  if (type !== 'file') return undefined;
  if (typeof url === 'string') return filePart({ url, ...names });
  return typeof bytes === 'string' ? filePart({ bytes, ...names }) : undefined;
}
