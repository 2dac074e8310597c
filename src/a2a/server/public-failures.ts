import { A2AError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { isRecord, publicError } from '../../core/index.ts';
import { publicSentence } from './agent-executor.ts';

/**
 * A handler whose errors reveal no internals, because the SDK sends the message of every error to the caller. A2A errors stay as they
 * are. Of other errors only the code is sent; `onError` gets the error itself.
 */
export function withPublicFailures(
  handler: A2ARequestHandler,
  onError: (error: unknown) => void,
): A2ARequestHandler {
  const shown = (error: unknown): unknown => {
    if (error instanceof A2AError) return error;
    onError(error);
    return new Error(publicSentence(publicError(error, '').code));
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
