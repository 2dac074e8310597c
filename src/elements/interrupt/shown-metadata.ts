import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';

/** The part type of an A2A agent's request. */
const A2A_REQUEST = 'a2a.input.request';

/**
 * The metadata that a card shows. For the request of an A2A agent these are the agent's own details, without what
 * the card shows elsewhere: the fields (the form), the title (the message), the call, the draft's payload and the ids of the
 * task.
 */
export function shownMetadata(metadata: UnknownRecord): UnknownRecord {
  const { request, taskId, contextId, payload: _payload, ...rest } = metadata;
  if (!isRecord(request) || typeof taskId !== 'string' || typeof contextId !== 'string') return metadata;
  if (request['type'] !== A2A_REQUEST) return rest;
  const { type: _type, requestId: _id, title: _title, fields: _fields, metadata: own, ...others } = request;
  const { schema: _schema, ...details } = isRecord(own) ? own : {};
  return { ...others, ...details, ...rest };
}
