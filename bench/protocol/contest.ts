/**
 * Does the whole work once and returns its result. The clock runs from the call on; `restartClock` starts it again, for work that has to
 * prepare something which is not measured.
 */
export type Run = (restartClock: () => void) => unknown;

/** One line: ours, and what it is compared with. */
export interface Contest {
  readonly name: string;
  /** Makes the inputs; called only when the contest is held. */
  readonly prepare: () => Contestants;
}

export interface Contestants {
  /** The number that one run is divided by, so that the figure is the time of one event. */
  readonly events: number;
  readonly ours: Run;
  readonly theirs?: Run;
  /** The runs of the warm-up, if they differ: shorter ones, or such that have more to compare. */
  readonly warmUp?: { readonly ours: Run; readonly theirs: Run };
}
