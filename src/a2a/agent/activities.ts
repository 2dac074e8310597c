import { isRecord } from '../../core/index.ts';
import type { Emitter, JsonPatchOperation, Message, ResumeEntry } from '../../protocol/index.ts';
import type { TaskInterrupt } from './a2a-memory.ts';

/** The timeline of a thread: one activity `INPUT_REQUEST` for each interrupt, under the id of the interrupt. */
export interface Activities {
  /** Shows a new interrupt. */
  open(taskId: string, interrupt: TaskInterrupt): void;
  /** Shows the answer after the agent has taken or refused it, or that the interrupt was cancelled. */
  answer(taskId: string, interrupt: TaskInterrupt, change: ActivityChange): void;
  /** Gives `stage` to the unfinished activities of earlier runs of this task, except those in `except`. */
  advance(taskId: string, stage: ActivityChange['stage'], except?: readonly string[]): void;
}

export interface ActivityChange {
  readonly stage: 'working' | 'completed';
  /** The answer, with its secrets masked. */
  readonly entry?: ResumeEntry | undefined;
  /** The agent did not take the answer and asks again. */
  readonly refused?: boolean;
}

const TYPE = 'INPUT_REQUEST';

/** Sends patches for the activities in `messages` and snapshots for others, because clients drop a patch without a snapshot. */
export function createActivities(emitter: Emitter, messages: readonly Message[]): Activities {
  const shown = new Set(messages.flatMap(({ id, role }) => (role === 'activity' ? [id] : [])));
  const contents = new Map<string, Record<string, unknown>>();
  const unfinished = new Map(messages.flatMap(unfinishedActivity));
  return {
    open(taskId, interrupt) {
      const { id } = interrupt;
      const content = { stage: 'awaiting_input', ...subjectOf(taskId, interrupt) };
      unfinished.delete(id);
      contents.set(id, content);
      shown.add(id);
      emitter.activity(id, TYPE, content);
    },
    answer(taskId, interrupt, { stage, entry, refused }) {
      const { id } = interrupt;
      unfinished.delete(id);
      const changes = {
        stage,
        ...(entry && { decision: decisionOf(entry), ...valuesOf(entry) }),
        ...(refused === true ? { refused } : {}),
      };
      const content = { ...(contents.get(id) ?? subjectOf(taskId, interrupt)), ...changes };
      contents.set(id, content);
      if (!shown.has(id)) {
        shown.add(id);
        emitter.activity(id, TYPE, content);
        return;
      }
      const patch = Object.entries(changes).map(([name, value]): JsonPatchOperation => ({
        op: 'add',
        path: `/${name}`,
        value,
      }));
      emitter.activityDelta(id, TYPE, patch);
    },
    advance(taskId, stage, except = []) {
      for (const [id, activity] of unfinished) {
        if (activity.taskId !== taskId || activity.stage === stage || except.includes(id)) continue;
        unfinished.set(id, { taskId, stage });
        emitter.activityDelta(id, TYPE, [{ op: 'add', path: '/stage', value: stage }]);
      }
    },
  };
}

function unfinishedActivity(
  message: Message,
): [string, { readonly taskId: unknown; readonly stage: unknown }][] {
  if (message.role !== 'activity' || message.activityType !== TYPE || !isRecord(message.content)) return [];
  const { taskId, stage } = message.content;
  return stage === 'completed' ? [] : [[message.id, { taskId, stage }]];
}

function subjectOf(taskId: string, { request, text }: TaskInterrupt): Record<string, unknown> {
  return { taskId, request, text };
}

function decisionOf({ status, payload }: ResumeEntry): 'provided' | 'approved' | 'rejected' {
  if (status === 'cancelled') return 'rejected';
  if (!isRecord(payload) || !Object.hasOwn(payload, 'approved')) return 'provided';
  return payload['approved'] === true ? 'approved' : 'rejected';
}

function valuesOf({ status, payload }: ResumeEntry): { values?: unknown } {
  return status === 'cancelled' || payload === undefined ? {} : { values: payload };
}
