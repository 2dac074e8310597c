import type { Message, Part, Task } from '@a2a-js/sdk';
import type { JsonObject } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import { hasSecrets, replaceSecrets } from '../../core/schema/index.ts';
import { fieldsToSchema, fromValues, toValues } from '../fields.ts';
import { requestsIn, responsesIn, responsePart } from '../input-parts.ts';

const MASK = '••••••';

/** A task whose history keeps no secret that was entered: the requests in it say what is one. */
export function withoutSecrets(task: Task): Task {
  const asked = [...task.history, ...(task.status?.message === undefined ? [] : [task.status.message])];
  const schemas = new Map(
    asked.flatMap(({ parts }) =>
      requestsIn(parts).flatMap((request) => {
        const schema = schemaOf(request);
        return hasSecrets(schema) ? [[request['requestId'], schema] as const] : [];
      }),
    ),
  );
  if (schemas.size === 0) return task;
  const masked = (part: Part): Part => {
    const [response] = responsesIn([part]);
    const schema = response === undefined ? undefined : schemas.get(response.requestId);
    if (response === undefined || schema === undefined) return part;
    const hidden = replaceSecrets(schema, fromValues(schema, response.values), () => MASK);
    return responsePart({ ...response, values: toValues(schema, hidden) });
  };
  const history = task.history.map((message): Message => ({ ...message, parts: message.parts.map(masked) }));
  return { ...task, history };
}

function schemaOf({ metadata, fields }: JsonObject): unknown {
  return isRecord(metadata) && isRecord(metadata['schema']) ? metadata['schema'] : fieldsToSchema(fields);
}
