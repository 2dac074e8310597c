import { TaskState } from '@a2a-js/sdk';

/** A task's state in words, as A2A 0.3 and its users write it. */
export type StateName =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected'
  | 'unknown';

const NAMES: ReadonlyMap<TaskState, StateName> = new Map([
  [TaskState.TASK_STATE_SUBMITTED, 'submitted'],
  [TaskState.TASK_STATE_WORKING, 'working'],
  [TaskState.TASK_STATE_INPUT_REQUIRED, 'input-required'],
  [TaskState.TASK_STATE_AUTH_REQUIRED, 'auth-required'],
  [TaskState.TASK_STATE_COMPLETED, 'completed'],
  [TaskState.TASK_STATE_FAILED, 'failed'],
  [TaskState.TASK_STATE_CANCELED, 'canceled'],
  [TaskState.TASK_STATE_REJECTED, 'rejected'],
]);

export function stateName(state: TaskState | undefined): StateName {
  return state === undefined ? 'unknown' : (NAMES.get(state) ?? 'unknown');
}

/** The task will not change any more. */
export function isOver(state: StateName): boolean {
  return state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected';
}

/** The task waits for somebody. */
export function isPaused(state: StateName): boolean {
  return state === 'input-required' || state === 'auth-required';
}
