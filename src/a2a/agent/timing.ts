/** Waiting times and limits, in milliseconds. */
export interface Timing {
  /** Time between two polls of a task. Default 1,000. */
  readonly pollMs: number;
  /** Time to read late events of a stream after a pause. Default 200. */
  readonly drainMs: number;
  /** Silence on a stream before the task itself is read. Default 15,000. */
  readonly quietMs: number;
  /** Time in which the agent may still show the answered pause, before the pause counts as a new one. Default 5,000. */
  readonly settleMs: number;
  /** Limit for reading a task. Default 15,000. */
  readonly requestMs: number;
  /** Limit for cancelling a task. Default 10,000. */
  readonly cancelMs: number;
  /** Time for which a run waits for an agent that cannot be reached while its task is unfinished. Default 3,600,000. */
  readonly followMs: number;
  /** Time between two checks of the host whether an `auth-required` task has gone on. Default 5,000. */
  readonly authMs: number;
}

export const TIMING: Timing = {
  pollMs: 1000,
  drainMs: 200,
  quietMs: 15_000,
  settleMs: 5000,
  requestMs: 15_000,
  cancelMs: 10_000,
  followMs: 3_600_000,
  authMs: 5000,
};
