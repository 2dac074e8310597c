import { childPointer, defined, isRecord } from '../../core/index.ts';
import type { UnknownRecord } from '../../core/index.ts';
import type { Emitter, JsonPatch } from '../../protocol/index.ts';
import { patchJson } from '../../protocol/index.ts';
import type { TaskMemory } from './a2a-memory.ts';
import { reasonOf } from './a2a-memory.ts';

/** The members `/view/tasks` and `/view/pendingInterrupts` of the thread's state; other members stay. */
export interface ViewState {
  readonly value: unknown;
  /** Updates a task. Its pending interrupts are those of its pause, until a run claims the pause. */
  show(task: TaskMemory): void;
}

/** Emits the whole state first, then a patch for each change. */
export function createViewState(emitter: Emitter, given: unknown, known: readonly TaskMemory[]): ViewState {
  let state: unknown = seeded(given);
  for (const task of known) state = patchJson(state, patchFor(state, task));
  emitter.state(state);
  return {
    get value() {
      return state;
    },
    show(task) {
      const patch = patchFor(state, task);
      if (patch.length === 0) return;
      state = patchJson(state, patch);
      emitter.stateDelta(patch);
    },
  };
}

function seeded(given: unknown): UnknownRecord {
  const state = isRecord(given) ? given : {};
  const view = isRecord(state['view']) ? state['view'] : {};
  const member = (name: string) => (isRecord(view[name]) ? view[name] : {});
  return {
    ...state,
    view: { ...view, tasks: member('tasks'), pendingInterrupts: member('pendingInterrupts') },
  };
}

function patchFor(state: unknown, task: TaskMemory): JsonPatch {
  const view = isRecord(state) && isRecord(state['view']) ? state['view'] : {};
  const tasks = isRecord(view['tasks']) ? view['tasks'] : {};
  const pending = isRecord(view['pendingInterrupts']) ? view['pendingInterrupts'] : {};
  const { taskId, status, lastRunId, lastInterruptId, summaries, pause } = task;
  const shown = {
    status,
    ...defined({ lastRunId, lastInterruptId }),
    summaries,
  };
  const patch: JsonPatch = [];
  if (JSON.stringify(tasks[taskId]) !== JSON.stringify(shown)) {
    patch.push({ op: 'add', path: childPointer('/view/tasks', taskId), value: shown });
  }
  const open = pause === undefined || pause.claim !== undefined ? [] : pause.interrupts;
  const openIds = new Set(open.map(({ id }) => id));
  for (const [id, entry] of Object.entries(pending)) {
    const isOfTask = isRecord(entry) && entry['taskId'] === taskId;
    if (isOfTask && !openIds.has(id))
      patch.push({ op: 'remove', path: childPointer('/view/pendingInterrupts', id) });
  }
  for (const interrupt of open) {
    const { id, requestId } = interrupt;
    if (pause === undefined || Object.hasOwn(pending, id)) continue;
    const value = {
      interruptId: id,
      taskId,
      requestId: requestId ?? null,
      reason: reasonOf(pause, interrupt),
    };
    patch.push({ op: 'add', path: childPointer('/view/pendingInterrupts', id), value });
  }
  return patch;
}
