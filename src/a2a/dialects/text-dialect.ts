import { textPart } from '../parts.ts';
import type { RequestDialect } from './request-dialect.ts';
import { payloadOf } from './request-dialect.ts';

/** An agent that asks in words, or says nothing at all: the answer is a text. */
export const textDialect: RequestDialect = {
  name: 'text',
  read: () => [{ request: {}, responseSchema: { type: 'string' } }],
  write: (answers) =>
    answers.map((answer) => {
      if (answer.status === 'cancelled') return textPart('Cancelled: nobody answered.');
      const payload = payloadOf(answer);
      return textPart(typeof payload === 'string' ? payload : JSON.stringify(payload));
    }),
};
