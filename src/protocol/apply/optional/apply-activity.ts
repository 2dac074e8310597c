import type { ActivityDeltaEvent, ActivityMessage, ActivitySnapshotEvent, Message } from '@ag-ui/core';
import { defined, isRecord, messageOf } from '../../../core/basics/index.ts';
import type { MessageList } from '../message-list.ts';
import type { Patch } from '../../patch/index.ts';
import type { Warn } from '../warn.ts';

/** Applies a snapshot: it replaces the message with its id, unless `replace` is false. */
export function applyActivitySnapshot(event: ActivitySnapshotEvent, list: MessageList): void {
  const { messageId, replace = true, metadata } = event;
  const existing = list.find(messageId);
  if (existing === undefined) {
    const message = newActivity(event);
    list.annotate(message, metadata);
    list.push(message);
    return;
  }
  if (!replace && existing.role !== 'activity') return;
  list.change(messageId, (message) => {
    if (replace) become(message, event);
    list.annotate(message, metadata);
  });
}

export function applyActivityDelta(
  event: ActivityDeltaEvent,
  { list, patch: applyPatch, warn }: { list: MessageList; patch: Patch; warn: Warn },
): void {
  const { messageId, activityType, patch, metadata } = event;
  const existing = list.find(messageId);
  if (existing === undefined) return;
  if (existing.role !== 'activity') {
    warn(`ACTIVITY_DELTA: ${messageId} is a ${existing.role} message`);
    return;
  }
  if (metadata !== undefined) list.change(messageId, (message) => list.annotate(message, metadata));
  try {
    const content = applyPatch(existing.content, patch);
    if (!isRecord(content)) {
      warn(`ACTIVITY_DELTA was ignored: the content of ${messageId} would not be an object`);
      return;
    }
    list.change(messageId, (message) => {
      Object.assign(message, { content, activityType });
    });
  } catch (error) {
    warn(`ACTIVITY_DELTA was ignored: ${messageOf(error)}`);
  }
}

/** Turns a private copy of a message into the activity; an activity keeps its position and its metadata. */
function become(message: Message, event: ActivitySnapshotEvent): void {
  const metadata = message.role === 'activity' ? message.metadata : undefined;
  for (const key of Object.keys(message)) Reflect.deleteProperty(message, key);
  Object.assign(message, newActivity(event));
  if (metadata !== undefined) message.metadata = metadata;
}

function newActivity(event: ActivitySnapshotEvent): ActivityMessage {
  const { messageId: id, activityType, content, subagentRunId } = event;
  return { id, role: 'activity', activityType, content, ...defined({ subagentRunId }) };
}
