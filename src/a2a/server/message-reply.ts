import type { Part } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { AgentExecutionEvent, ExecutionEventBus } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import { a2aMessage, textPart } from '../parts.ts';

/** A bus that holds the events of a turn back until it is known whether a message can replace the task. */
export interface HeldReply {
  readonly bus: ExecutionEventBus;
  /** Publishes one message if the turn completed with nothing but texts, and else its events. */
  release(ids: { readonly messageId: string; readonly contextId: string }): void;
}

export function holdReply(bus: ExecutionEventBus): HeldReply {
  const events: AgentExecutionEvent[] = [];
  const held = Object.create(bus) as ExecutionEventBus;
  held.publish = (event) => void events.push(event);
  return {
    bus: held,
    release(ids) {
      const text = replyOf(events);
      if (text === undefined) for (const event of events) bus.publish(event);
      else bus.publish(AgentEvent.message(a2aMessage({ ...ids, role: 'agent' }, [textPart(text)])));
    },
  };
}

/** The texts of a completed turn; undefined for a turn that needs a task. */
function replyOf(events: readonly AgentExecutionEvent[]): string | undefined {
  const last = events.at(-1);
  const isDone = last?.kind === 'statusUpdate' && last.data.status?.state === TaskState.TASK_STATE_COMPLETED;
  const artifacts = events.flatMap(({ kind, data }) => (kind === 'artifactUpdate' ? [data] : []));
  const parts: Part[] = artifacts.flatMap(({ artifact }) => artifact?.parts ?? []);
  if (!isDone || parts.length === 0 || parts.some(({ content }) => content?.$case !== 'text'))
    return undefined;
  const texts = new Map<string, string>();
  for (const { artifact } of artifacts) {
    const { artifactId = '', parts: pieces = [] } = artifact ?? {};
    const text = pieces.map(({ content }) => content?.value ?? '').join('');
    texts.set(artifactId, (texts.get(artifactId) ?? '') + text);
  }
  return [...texts.values()].join('\n');
}
