import { defined, isRecord } from '../../core/index.ts';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import type { JsonSchemaObject } from '../../core/schema/index.ts';
import { fieldsToSchema, toValues } from '../fields.ts';
import { requestsIn, responsePart } from '../parts.ts';
import type { AskedRequest, RequestDialect } from './request-dialect.ts';
import { payloadOf } from './request-dialect.ts';

/** The data parts `a2a.input.request` and `a2a.input.response` that `toA2a` uses; `fields` become a form. */
export const inputRequestDialect: RequestDialect = {
  name: 'a2a.input',
  read(message) {
    const requests = requestsIn(message.parts);
    return requests.length === 0 ? undefined : requests.map(toAsked);
  },
  asks: (part) => requestsIn([part]).length > 0,
  write: (answers) =>
    answers.map((answer) => {
      const { asked, status, reason } = answer;
      const { requestId, responseSchema } = asked;
      const cancelled = status === 'cancelled';
      return responsePart({
        ...defined({ requestId }),
        values: cancelled ? {} : toValues(responseSchema, payloadOf(answer)),
        ...(cancelled ? { metadata: { cancelled: true, ...defined({ reason }) } } : {}),
      });
    }),
};

function toAsked(request: JsonObject): AskedRequest {
  const { requestId, title, description, fields, metadata } = request;
  const schema = schemaOf(metadata) ?? fieldsToSchema(fields);
  const said = [title, description].flatMap((text) =>
    typeof text === 'string' && text !== '' ? [text] : [],
  );
  return {
    ...(typeof requestId === 'string' ? { requestId } : {}),
    request,
    ...(said.length === 0 ? {} : { title: said.join('\n') }),
    ...defined({ responseSchema: schema, call: callOf(metadata) }),
  };
}

/** The call of an approval, as `toA2a` writes it. */
function callOf(metadata: unknown): AskedRequest['call'] {
  if (!isRecord(metadata) || typeof metadata['functionName'] !== 'string') return undefined;
  // The metadata is JSON.
  const args = metadata['functionArguments'] as JsonValue | undefined;
  return { name: metadata['functionName'], ...defined({ args }) };
}

/** The whole schema, if the agent sends it. It can say more than `fields`. */
function schemaOf(metadata: unknown): JsonSchemaObject | undefined {
  return isRecord(metadata) && isRecord(metadata['schema']) ? metadata['schema'] : undefined;
}
