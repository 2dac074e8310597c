import { HoldpointError, invalidInput, onDemand } from '../../core/basics/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { buildResume, validateCoverage } from '../../protocol/interrupts/resume/index.ts';

const validator = onDemand(() => import('../later/answer-check.ts'));

/** What answers are checked against. */
export interface Asking {
  /** The open questions; undefined when they are not known here, and the server alone can tell. */
  readonly open: readonly Interrupt[] | undefined;
  readonly staged: ReadonlyMap<string, ResumeEntry>;
  readonly now: number;
  readonly warn: (warning: string) => void;
}

/**
 * The `resume` of the next run: these answers, and the staged ones for what they leave out. Refuses before
 * anything is sent: `INPUT_INVALID` for two answers to one question, `INTERRUPT_UNKNOWN`, `INTERRUPT_EXPIRED`,
 * `INTERRUPTS_UNANSWERED`, `ANSWER_INVALID`.
 */
export async function checkAnswers(entries: readonly ResumeEntry[], asking: Asking): Promise<ResumeEntry[]> {
  const { open, staged, now } = asking;
  assertSingle(entries);
  if (open === undefined) return [...entries];
  const resume = buildResume(open, new Map([...staged, ...byId(entries)]), now);
  await assertFitting(resume, asking);
  return resume;
}

/** The same for answers that are kept until the others are there: that some are missing is no fault. */
export async function checkStaged(entries: readonly ResumeEntry[], asking: Asking): Promise<void> {
  const { open = [], now } = asking;
  assertSingle(entries);
  const given = open.filter(({ id }) => entries.some(({ interruptId }) => interruptId === id));
  buildResume(given, new Map(byId(entries)), now);
  await assertFitting(entries, asking);
}

function assertSingle(entries: readonly ResumeEntry[]): void {
  const [twice] = validateCoverage([], entries, 0).duplicate;
  if (twice === undefined) return;
  const index = entries.findLastIndex(({ interruptId }) => interruptId === twice);
  const message = `the question ${twice} is answered twice`;
  throw invalidInput('run input', [{ pointer: `/resume/${index}/interruptId`, message }]);
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

function byId(entries: readonly ResumeEntry[]): (readonly [string, ResumeEntry])[] {
  return entries.map((entry) => [entry.interruptId, entry]);
}
