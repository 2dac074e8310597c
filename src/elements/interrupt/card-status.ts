import type { HoldpointError } from '../../core/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';

/** The status of an interrupt on this screen. */
export type CardStatus =
  | { readonly state: 'open' }
  /** Sent; the server has not replied yet. */
  | { readonly state: 'sending'; readonly entry: ResumeEntry }
  /** Stored until the other interrupts have an answer. */
  | { readonly state: 'staged'; readonly entry: ResumeEntry }
  | FailedStatus
  /** Another person gave a different answer. */
  | { readonly state: 'lost'; readonly answered: GivenAnswer; readonly yours?: ResumeEntry }
  | { readonly state: 'answered'; readonly answered: GivenAnswer };

/** The answer is kept and can be sent again. */
export interface FailedStatus {
  readonly state: 'failed';
  readonly entry: ResumeEntry;
  readonly error: HoldpointError;
  /** True when the viewer withdrew the request: Retry withdraws it again. */
  readonly isWithdrawal?: boolean;
  /** True when the server was reached after the failure. */
  readonly isReachable?: boolean;
}

/** An answer that a person gave. */
export interface GivenAnswer {
  readonly by?: string;
  /** True for an answer of the reader. */
  readonly you?: boolean;
  readonly at?: number;
  /** When the grant was given that the call ran by. */
  readonly grantedAt?: number;
  /** The channel, such as `inbox`; `expiry` when the time ran out, `grant` when the call ran by a grant. */
  readonly via?: string;
  readonly status?: ResumeEntry['status'];
  readonly payload?: unknown;
  /** True when the thread was deleted before the answer was carried out. Default false. */
  readonly dropped?: boolean;
  /** True when the request expired and was asked again. Default false. */
  readonly askedAgain?: boolean;
  /** True when the asker took the request back. */
  readonly withdrawn?: boolean;
  /** Why the asker took it back. The reason of another decision is in its payload. */
  readonly reason?: string;
}

export const OPEN: CardStatus = { state: 'open' };
