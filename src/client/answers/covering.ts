import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';

/** The questions that answers must cover. */
export interface Covering {
  /** Undefined when they are not known here, and the server alone can tell. */
  readonly open: readonly Interrupt[] | undefined;
  /** The answers that are there already. */
  readonly staged: ReadonlyMap<string, ResumeEntry>;
  readonly now: number;
}
