import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';

/** The type of the part by which an A2A agent asks. */
const A2A_REQUEST = 'a2a.input.request';

/**
 * What a question tells besides its words. Where it is the request of an A2A agent, that agent's own details: its fields are the
 * form of the card, its title is the message, the draft's payload says it all again, and the ids of its task are nothing to
 * decide by.
 */
export function toldMetadata(metadata: UnknownRecord): UnknownRecord {
  const { request, taskId: _task, contextId: _context, payload: _payload, ...rest } = metadata;
  if (!isRecord(request) || request['type'] !== A2A_REQUEST) return metadata;
  const { type: _type, requestId: _id, title: _title, fields: _fields, metadata: told, ...others } = request;
  const { schema: _schema, ...details } = isRecord(told) ? told : {};
  return { ...others, ...details, ...rest };
}
