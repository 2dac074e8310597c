import type { HoldpointError } from '../../core/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';

/** The status of an interrupt on this screen. */
export type CardStatus =
  | { readonly state: 'open' }
  /** Sent; the server has not replied yet. */
  | { readonly state: 'sending'; readonly entry: ResumeEntry }
  /** Stored until the other interrupts have an answer. */
  | { readonly state: 'staged'; readonly entry: ResumeEntry }
  /** The answer is kept and can be sent again. */
  | { readonly state: 'failed'; readonly entry: ResumeEntry; readonly error: HoldpointError }
  /** Another person gave a different answer. */
  | { readonly state: 'lost'; readonly answered: GivenAnswer; readonly yours?: ResumeEntry }
  | { readonly state: 'answered'; readonly answered: GivenAnswer };

/** An answer that a person gave. */
export interface GivenAnswer {
  readonly by?: string;
  readonly at?: number;
  readonly status?: ResumeEntry['status'];
  readonly payload?: unknown;
}

export const OPEN: CardStatus = { state: 'open' };

/** An answer in a few words: "Approved", "Rejected: too much", "Cancelled", or the value. */
export function answerWords({ status, payload }: Pick<GivenAnswer, 'status' | 'payload'>): string {
  if (status === 'cancelled') return 'Cancelled';
  if (payload === undefined || payload === null) return 'Left empty';
  if (typeof payload !== 'object')
    return `Answered “${typeof payload === 'string' ? payload : JSON.stringify(payload)}”`;
  const { approved, reason, editedArgs } = payload as Readonly<Record<string, unknown>>;
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
  if (approved === true) return `Approved${editedArgs === undefined ? '' : ' with changes'}${why}`;
  if (approved === false) return `Rejected${why}`;
  return 'Answered';
}
