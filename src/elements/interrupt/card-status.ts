import type { HoldpointError } from '../../core/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';

/** Where a question stands on this screen. */
export type CardStatus =
  | { readonly state: 'open' }
  /** Sent, and the server has not said yet what became of it. */
  | { readonly state: 'sending'; readonly entry: ResumeEntry }
  /** Given, and waiting for the others. */
  | { readonly state: 'staged'; readonly entry: ResumeEntry }
  /** The answer is kept, and can be sent again as it is. */
  | { readonly state: 'failed'; readonly entry: ResumeEntry; readonly error: HoldpointError }
  /** Somebody answered otherwise. */
  | { readonly state: 'lost'; readonly answered: GivenAnswer; readonly yours?: ResumeEntry }
  | { readonly state: 'answered'; readonly answered: GivenAnswer };

/** An answer that somebody gave. */
export interface GivenAnswer {
  readonly by?: string;
  readonly at?: number;
  readonly status?: ResumeEntry['status'];
  readonly payload?: unknown;
}

export const OPEN: CardStatus = { state: 'open' };

/** What an answer says, in a few words: "Approved", "Rejected: too much", "Cancelled", or the value itself. */
export function answerWords({ status, payload }: Pick<GivenAnswer, 'status' | 'payload'>): string {
  if (status === 'cancelled') return 'Cancelled';
  if (payload === undefined || payload === null) return 'Answered with nothing';
  if (typeof payload !== 'object')
    return `Answered “${typeof payload === 'string' ? payload : JSON.stringify(payload)}”`;
  const { approved, reason, editedArgs } = payload as Readonly<Record<string, unknown>>;
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
  if (approved === true) return `Approved${editedArgs === undefined ? '' : ' with changes'}${why}`;
  if (approved === false) return `Rejected${why}`;
  return 'Answered';
}
