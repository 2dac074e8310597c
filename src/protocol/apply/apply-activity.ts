import type {
  ActivityDeltaEvent,
  ActivityMessage,
  ActivitySnapshotEvent,
  Message,
  ReasoningEncryptedValueEvent,
} from '@ag-ui/core';
import { defined, isRecord, messageOf } from '../../core/index.ts';
import type { Patch } from '../patch-json.ts';
import type { MessageList, Warn } from './message-list.ts';

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

/** Applies a patch to the content of an activity; a patch that does not fit changes nothing and is reported. */
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

/** Adds an encrypted value, which only its provider can read, to its message or call. */
export function applyEncryptedValue(event: ReasoningEncryptedValueEvent, list: MessageList): void {
  const { subtype, entityId, encryptedValue } = event;
  if (subtype === 'tool-call') {
    list.changeCall(entityId, (call) => {
      call.encryptedValue = encryptedValue;
    });
  } else if (list.find(entityId)?.role !== 'activity') {
    list.change(entityId, (message) => {
      if (message.role !== 'activity') message.encryptedValue = encryptedValue;
    });
  }
}
