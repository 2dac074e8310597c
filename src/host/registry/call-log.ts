import { defined } from '../../core/index.ts';
import type { ModelFinish, ModelMiddleware, ToolMiddleware } from '../../engine/index.ts';
import { isSuspension } from '../../engine/index.ts';

/** `stopped`: the reader left before the end. */
type ModelOutcome = ModelFinish | 'waiting' | 'failed' | 'stopped';

/** A finished call, without its content. */
export type CallLogEntry = { readonly threadId: string; readonly runId: string } & (
  | { readonly call: 'model'; readonly outcome: ModelOutcome; readonly error?: unknown }
  | {
      readonly call: 'tool';
      readonly tool: string;
      readonly toolCallId: string;
      readonly outcome: 'done' | 'waiting' | 'failed';
      readonly error?: unknown;
    }
);

/**
 * Middleware that logs every call of a model and a tool. A call that waits for a person does not count as failed.
 *
 * @example
 * ```ts
 * import { callLog } from 'holdpoint/host';
 *
 * const log = callLog((entry) => console.log(entry.call, entry.outcome));
 * ```
 */
export function callLog(write: (entry: CallLogEntry) => void): {
  readonly model: ModelMiddleware;
  readonly tool: ToolMiddleware;
} {
  return {
    async *model(_request, next, { threadId, runId }) {
      const about = { threadId, runId, call: 'model' } as const;
      let outcome: ModelOutcome = 'stopped';
      let error: unknown;
      try {
        for await (const part of next()) {
          if (part.type === 'finish') outcome = part.reason;
          yield part;
        }
      } catch (thrown) {
        outcome = isSuspension(thrown) ? 'waiting' : 'failed';
        if (outcome === 'failed') error = thrown;
        throw thrown;
      } finally {
        write({ ...about, outcome, ...defined({ error }) });
      }
    },
    async tool({ tool, context }, next) {
      const { threadId, runId, toolCallId } = context;
      const about = { threadId, runId, call: 'tool', tool: tool.name, toolCallId } as const;
      try {
        const output = await next();
        write({ ...about, outcome: 'done' });
        return output;
      } catch (error) {
        write({ ...about, ...(isSuspension(error) ? { outcome: 'waiting' } : { outcome: 'failed', error }) });
        throw error;
      }
    },
  };
}
