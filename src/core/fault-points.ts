/** The points where a test may end the process: around every write and every action that cannot be undone. */
export const FAULT_POINTS = [
  'change:before-commit',
  'change:after-commit',
  'keep:before-commit',
  'keep:after-commit',
  'end:before-commit',
  'end:after-commit',
  'model:before',
  'model:after',
  'tool:before',
  'tool:after',
  'step:before',
  'step:after',
] as const;

/** The name of a fault point. */
export type FaultPoint = (typeof FAULT_POINTS)[number];

let hook: ((point: FaultPoint) => void | Promise<void>) | undefined;

/** Sets a hook for tests that kill or stop the process at a named point. Only tests call this. */
export function setFaultHook(next: typeof hook): void {
  hook = next;
}

/** True when a test has set a hook. Without one, callers skip the await. */
export function hasFaultHook(): boolean {
  return hook !== undefined;
}

/** Calls the hook of a test; does nothing without one. */
export function faultPoint(point: FaultPoint): void | Promise<void> {
  return hook?.(point);
}
