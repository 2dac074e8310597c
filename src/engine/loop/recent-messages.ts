import type { Message } from '../../protocol/index.ts';
import type { ModelMiddleware } from './loop-settings.ts';

/**
 * Middleware for long conversations: the model gets the last `count` messages and not all of them, from something that a
 * person said on, so that no result is without its call. What systems and developers said stays. The stored conversation is
 * whole.
 */
export function recentMessages(count: number): ModelMiddleware {
  return async function* recent(request, next) {
    yield* next({ ...request, messages: recentOf(request.messages, count) });
  };
}

function recentOf(messages: readonly Message[], count: number): readonly Message[] {
  if (messages.length <= count) return messages;
  const from = messages.findIndex(({ role }, index) => role === 'user' && index >= messages.length - count);
  // One long turn is not cut: it has to be seen from its beginning.
  const start = from === -1 ? messages.findLastIndex(({ role }) => role === 'user') : from;
  const rules = messages
    .slice(0, Math.max(0, start))
    .filter(({ role }) => role === 'system' || role === 'developer');
  return [...rules, ...messages.slice(Math.max(0, start))];
}
