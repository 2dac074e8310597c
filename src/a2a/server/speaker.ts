import type { TaskState } from '@a2a-js/sdk';
import type { ExecutionEventBus } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { IdGenerator } from '../../core/index.ts';
import { a2aMessage, textPart } from '../parts.ts';
import type { AskingTask } from './request-input.ts';

/** Says how a task stands. */
export type Speaker = (state: TaskState, text?: string) => void;

export function speakerFor(
  bus: ExecutionEventBus,
  { taskId, contextId }: AskingTask,
  newId: IdGenerator,
): Speaker {
  return (state: TaskState, text?: string) => {
    const place = { messageId: newId(), taskId, contextId, role: 'agent' as const };
    const message = text === undefined ? undefined : a2aMessage(place, [textPart(text)]);
    bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: { state, message, timestamp: now() },
        metadata: undefined,
      }),
    );
  };
}

export function now(): string {
  return new Date().toISOString();
}
