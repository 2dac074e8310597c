/** The places where a test may end the process: around every write, and around everything that cannot be undone. */
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

export type FaultPoint = (typeof FAULT_POINTS)[number];

let hook: ((point: FaultPoint) => void | Promise<void>) | undefined;

/** For tests that kill or stop the process at a named place. Nothing else sets it. */
export function setFaultHook(next: typeof hook): void {
  hook = next;
}

/** Whether a test has set one. Where it has not, a place costs not even the wait for nothing. */
export function hasFaultHook(): boolean {
  return hook !== undefined;
}

/** Marks such a place; without a hook it is nothing. */
export function faultPoint(point: FaultPoint): void | Promise<void> {
  return hook?.(point);
}
