import { HoldpointError, onDemand, present } from '../../core/basics/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import type { Covering } from './covering.ts';

const validator = onDemand(() => import('../later/answer-check.ts'));
const coverage = onDemand(() => import('../later/cover-answers.ts'));

/** What answers are checked against. */
export interface Asking extends Covering {
  readonly warn: (warning: string) => void;
}

/**
 * The `resume` of the next run: these answers, and the staged ones for what they leave out. Refuses before
 * anything is sent: `INPUT_INVALID` for two answers to one question, `INTERRUPT_UNKNOWN`, `INTERRUPT_EXPIRED`,
 * `INTERRUPTS_UNANSWERED`, `ANSWER_INVALID`.
 */
export async function checkAnswers(
  entries: readonly ResumeEntry[],
  asking: Asking,
): Promise<readonly ResumeEntry[]> {
  const resume = inOrder(entries, asking) ?? (await coverage.load()).coverAnswers(entries, asking);
  await assertFitting(resume, asking);
  return resume;
}

/** The same for answers that are kept until the others are there: that some are missing is no fault. */
export async function checkStaged(entries: readonly ResumeEntry[], asking: Asking): Promise<void> {
  const given = asking.open?.filter(({ id }) => entries.some(({ interruptId }) => interruptId === id));
  await checkAnswers(entries, { ...asking, open: given ?? [], staged: new Map() });
}

/** The answers in the order of the questions, if they cover them beyond doubt. */
function inOrder(
  entries: readonly ResumeEntry[],
  { open, staged, now }: Covering,
): readonly ResumeEntry[] | undefined {
  const given = new Map(entries.map((entry) => [entry.interruptId, entry]));
  if (given.size < entries.length) return undefined;
  if (open === undefined) return entries;
  const answers = new Map([...staged, ...given]);
  const resume = open.flatMap(({ id, expiresAt = '' }): ResumeEntry[] => {
    const { status, payload, metadata } = answers.get(id) ?? {};
    if (status === 'cancelled') return [present({ interruptId: id, status, metadata })];
    const isLate = Date.parse(expiresAt) <= now;
    return status === undefined || isLate ? [] : [present({ interruptId: id, status, payload, metadata })];
  });
  return resume.length === open.length && resume.length === answers.size ? resume : undefined;
}

async function assertFitting(entries: readonly ResumeEntry[], { open = [], warn }: Asking): Promise<void> {
  const questions = new Map(open.map((interrupt) => [interrupt.id, interrupt]));
  for (const entry of entries) {
    const question = questions.get(entry.interruptId);
    if (entry.status === 'cancelled' || question === undefined) continue;
    if (question.responseSchema === undefined && question.metadata === undefined) continue;
    const { assertAnswer } = await validator.load();
    try {
      await assertAnswer(question, entry);
    } catch (error) {
      // A schema that cannot be used here is no reason to refuse an answer that the server may take.
      if (!HoldpointError.is(error, 'INPUT_INVALID')) throw error;
      warn(`The answer to ${question.id} was not checked: ${error.message}`);
    }
  }
}
