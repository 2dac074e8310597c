import { checkBeyondSchema } from '../../content/questions/checking/index.ts';
import { invalidAnswer } from '../../core/answers/index.ts';
import { HoldpointError, onDemand } from '../../core/basics/index.ts';
import { invalidInput } from '../../core/issues/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { buildResume, validateCoverage } from '../../protocol/interrupts/resume/index.ts';

const validator = onDemand(() => import('../../core/schema/index.ts'));

/** What answers are checked against. */
export interface Asking {
  /** The open interrupts; undefined when they are not known here, and the server alone can tell. */
  readonly open: readonly Interrupt[] | undefined;
  /** The answers that are there already. */
  readonly staged: ReadonlyMap<string, ResumeEntry>;
  readonly now: number;
  readonly warn: (warning: string) => void;
}

/**
 * The `resume` of the next run: these answers, and the staged ones for what they leave out. Refuses before
 * anything is sent: `INPUT_INVALID` for two answers to one interrupt, `INTERRUPT_UNKNOWN`, `INTERRUPT_EXPIRED`,
 * `INTERRUPTS_UNANSWERED`, `ANSWER_INVALID`.
 */
export async function checkAnswers(
  entries: readonly ResumeEntry[],
  asking: Asking,
): Promise<readonly ResumeEntry[]> {
  const { open, staged, now } = asking;
  assertSingle(entries);
  const given = entries.map((entry) => [entry.interruptId, entry] as const);
  const resume = open === undefined ? entries : buildResume(open, new Map([...staged, ...given]), now);
  await assertFitting(resume, asking);
  return resume;
}

/** The same for answers that are kept until the others are there: missing ones are no fault. */
export async function checkStaged(entries: readonly ResumeEntry[], asking: Asking): Promise<void> {
  const given = asking.open?.filter(({ id }) => entries.some(({ interruptId }) => interruptId === id));
  await checkAnswers(entries, { ...asking, open: given ?? [], staged: new Map() });
}

function assertSingle(entries: readonly ResumeEntry[]): void {
  const [twice] = validateCoverage([], entries, 0).duplicate;
  if (twice === undefined) return;
  const index = entries.findLastIndex(({ interruptId }) => interruptId === twice);
  const message = `the interrupt ${twice} is answered twice`;
  throw invalidInput('run input', [{ pointer: `/resume/${index}/interruptId`, message }]);
}

async function assertFitting(entries: readonly ResumeEntry[], { open = [], warn }: Asking): Promise<void> {
  const interrupts = new Map(open.map((interrupt) => [interrupt.id, interrupt]));
  for (const entry of entries) {
    const interrupt = interrupts.get(entry.interruptId);
    if (entry.status === 'cancelled' || interrupt === undefined) continue;
    try {
      await assertAnswer(interrupt, entry);
    } catch (error) {
      // A schema that cannot be used here is no reason to refuse an answer that the server may take.
      if (!HoldpointError.is(error, 'INPUT_INVALID')) throw error;
      warn(`The answer to ${interrupt.id} was not checked: ${error.message}`);
    }
  }
}

/** Throws `ANSWER_INVALID` for an answer that does not fit, and `INPUT_INVALID` for a schema that is unusable. */
async function assertAnswer(interrupt: Interrupt, entry: ResumeEntry): Promise<void> {
  const { id, responseSchema } = interrupt;
  const compiled =
    responseSchema === undefined
      ? undefined
      : await (await validator.load()).compileForeignSchema(responseSchema, 'browser');
  const bySchema = compiled?.validate(entry.payload ?? null) ?? [];
  const issues = bySchema.length > 0 ? bySchema : checkBeyondSchema(interrupt, entry);
  if (issues.length > 0) throw invalidAnswer(id, issues);
}
