import { isRecord } from '../../core/index.ts';
import type { JsonObject } from '../../core/index.ts';
import type { JsonSchemaObject } from '../../core/schema/index.ts';
import { fieldsToSchema, toValues } from '../fields.ts';
import { requestsIn, responsePart } from '../input-parts.ts';
import type { AskedRequest, RequestDialect } from './request-dialect.ts';
import { payloadOf } from './request-dialect.ts';

/** `a2a.input.request` and `a2a.input.response`: the form that `toA2a` writes, with fields that become a form. */
export const inputRequestDialect: RequestDialect = {
  name: 'a2a.input',
  read(message) {
    const requests = requestsIn(message.parts);
    return requests.length === 0 ? undefined : requests.map(toAsked);
  },
  write: (answers) =>
    answers.map((answer) => {
      const { requestId, responseSchema } = answer.asked;
      const cancelled = answer.status === 'cancelled';
      return responsePart({
        ...(requestId === undefined ? {} : { requestId }),
        values: cancelled ? {} : toValues(responseSchema, payloadOf(answer)),
        ...(cancelled ? { metadata: { cancelled: true } } : {}),
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
    ...(schema === undefined ? {} : { responseSchema: schema }),
  };
}

/** The whole schema, where the agent gives it: fields say less than a schema can. */
function schemaOf(metadata: unknown): JsonSchemaObject | undefined {
  return isRecord(metadata) && isRecord(metadata['schema']) ? metadata['schema'] : undefined;
}
