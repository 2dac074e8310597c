import { A2AError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { isRecord, publicError } from '../../core/index.ts';

/**
 * A handler whose failures say nothing of the inside: the SDK writes the message of any error to the wire. Errors of A2A stay as they
 * are; of ours the code is told, and `onError` gets the rest.
 */
export function withPublicFailures(
  handler: A2ARequestHandler,
  onError: (error: unknown) => void,
): A2ARequestHandler {
  const shown = (error: unknown): unknown => {
    if (error instanceof A2AError) return error;
    onError(error);
    const { code } = publicError(error, '');
    return new Error(code === 'INTERNAL' ? 'The agent failed.' : `The agent could not go on: ${code}.`);
  };
  async function* follow(events: AsyncIterable<unknown>): AsyncGenerator<unknown, void, undefined> {
    try {
      yield* events;
    } catch (error) {
      throw shown(error);
    }
  }
  return new Proxy(handler, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...given: unknown[]): unknown => {
        try {
          const result: unknown = Reflect.apply(method, target, given);
          if (isRecord(result) && Symbol.asyncIterator in result)
            return follow(result as unknown as AsyncIterable<unknown>);
          return result instanceof Promise
            ? result.catch((error: unknown) => {
                throw shown(error);
              })
            : result;
        } catch (error) {
          throw shown(error);
        }
      };
    },
  });
}
