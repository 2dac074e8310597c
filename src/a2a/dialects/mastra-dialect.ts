import { defined, isRecord } from '../../core/index.ts';
import type { JsonSchemaObject } from '../../core/schema/index.ts';
import { dataOf, dataPart } from '../parts.ts';
import type { RequestDialect } from './request-dialect.ts';
import { payloadOf } from './request-dialect.ts';

/** Mastra: the request is a data part with `suspendPayload`; the answer is a data part that holds the payload itself. */
export const mastraDialect: RequestDialect = {
  name: 'mastra',
  read(message) {
    const request = message.parts.map(dataOf).find((data) => data !== undefined && 'suspendPayload' in data);
    if (request === undefined) return undefined;
    return [{ request, ...defined({ responseSchema: schemaOf(request['resumeSchema']) }) }];
  },
  write: (answers) => answers.slice(0, 1).map((answer) => dataPart(payloadOf(answer))),
};

/** Reads a schema that is an object or its JSON text. */
function schemaOf(given: unknown): JsonSchemaObject | undefined {
  if (isRecord(given)) return given;
  if (typeof given !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(given);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
