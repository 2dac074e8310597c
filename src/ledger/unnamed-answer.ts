import { HoldpointError } from '../core/index.ts';
import type { ResumeEntry } from '../protocol/index.ts';
import { UNNAMED_INTERRUPT } from '../protocol/index.ts';
import type { ThreadView } from './thread-view.ts';

/**
 * An answer that does not say which question it is for is for the only one that waits: the open question that has no id
 * itself, else the one open question without an answer; else, while a run is at work with one answer, for that: a second
 * click is then the same answer again. Throws `INTERRUPT_UNKNOWN` when nothing waits, and `INPUT_INVALID` when it could be
 * for several.
 */
export function nameAnswer(entry: ResumeEntry, { thread, interrupts }: ThreadView): ResumeEntry {
  if (entry.interruptId !== UNNAMED_INTERRUPT) return entry;
  const open = thread?.batch?.interruptIds ?? [];
  if (open.includes(UNNAMED_INTERRUPT)) return entry;
  const unanswered = open.filter((id) => interrupts.get(id)?.answer === undefined);
  const candidates = unanswered.length > 0 ? unanswered : [...open, ...(thread?.claimed ?? [])];
  const [only, ...others] = candidates;
  if (others.length > 0) {
    const sentence = `An answer has to say which question it is for: ${candidates.join(', ')} are open.`;
    throw new HoldpointError('INPUT_INVALID', sentence, { details: { interruptIds: candidates } });
  }
  if (only !== undefined) return { ...entry, interruptId: only };
  // One that is over is still known by its answer: the same again is no news.
  if (interrupts.has(UNNAMED_INTERRUPT)) return entry;
  throw new HoldpointError('INTERRUPT_UNKNOWN', 'The thread has no question that waits for an answer.');
}
