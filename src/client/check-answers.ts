import { checkDecision } from '../content/interrupts/approval-rules.ts';
import { HoldpointError, invalidAnswer, invalidInput, onDemand } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { buildResume, validateCoverage } from '../protocol/interrupts/resume.ts';

const validator = onDemand(() => import('../core/schema/compile-in-browser.ts'));

/** The data that answers are checked against. */
interface AnswerContext {
  /** The open interrupts; undefined when this client does not know them and only the server can check. */
  readonly open: readonly Interrupt[] | undefined;
  /** The answers that are staged already. */
  readonly staged: ReadonlyMap<string, ResumeEntry>;
  readonly now: number;
  readonly warn: (warning: string) => void;
}

/**
 * Returns the `resume` of the next run: these answers, and staged ones for the other interrupts. Throws before any
 * request: `INPUT_INVALID` for two answers to one interrupt, `INTERRUPT_UNKNOWN`, `INTERRUPT_EXPIRED`,
 * `INTERRUPTS_UNANSWERED`, `ANSWER_INVALID`.
 */
export async function checkAnswers(
  entries: readonly ResumeEntry[],
  context: AnswerContext,
): Promise<readonly ResumeEntry[]> {
  const { open, staged, now } = context;
  assertSingle(entries);
  const entriesById = entries.map((entry) => [entry.interruptId, entry] as const);
  const resume = open === undefined ? entries : buildResume(open, new Map([...staged, ...entriesById]), now);
  await assertFitting(resume, context);
  return resume;
}

/** Checks answers to be staged like {@link checkAnswers}, but allows missing ones. */
export async function checkStaged(entries: readonly ResumeEntry[], context: AnswerContext): Promise<void> {
  const answered = context.open?.filter(({ id }) => entries.some(({ interruptId }) => interruptId === id));
  await checkAnswers(entries, { ...context, open: answered ?? [], staged: new Map() });
}

function assertSingle(entries: readonly ResumeEntry[]): void {
  const [twice] = validateCoverage([], entries, 0).duplicate;
  if (twice === undefined) return;
  const index = entries.findLastIndex(({ interruptId }) => interruptId === twice);
  const message = `the interrupt ${twice} is answered twice`;
  throw invalidInput('run input', [{ pointer: `/resume/${index}/interruptId`, message }]);
}

async function assertFitting(
  entries: readonly ResumeEntry[],
  { open = [], warn }: AnswerContext,
): Promise<void> {
  const interrupts = new Map(open.map((interrupt) => [interrupt.id, interrupt]));
  for (const entry of entries) {
    const interrupt = interrupts.get(entry.interruptId);
    if (entry.status === 'cancelled' || interrupt === undefined) continue;
    try {
      await assertAnswer(interrupt, entry);
    } catch (error) {
      // The server may accept an answer whose schema does not compile here.
      if (!HoldpointError.is(error, 'INPUT_INVALID')) throw error;
      warn(
        `The answer to ${interrupt.id} was sent unchecked: its schema does not compile here: ${error.message}`,
      );
    }
  }
}

/**
 * Throws `ANSWER_INVALID` for an answer that does not match, and `INPUT_INVALID` for a schema that does not
 * compile.
 */
async function assertAnswer(interrupt: Interrupt, entry: ResumeEntry): Promise<void> {
  const { id, responseSchema } = interrupt;
  // The server knows the schema of each form.
  const schema = entry.metadata?.['as'] ? undefined : responseSchema;
  const compiled = schema === undefined ? undefined : (await validator.load()).compileInBrowser(schema);
  const bySchema = compiled?.validate(entry.payload ?? null) ?? [];
  const issues = bySchema.length > 0 ? bySchema : checkDecision(interrupt, entry);
  if (issues.length > 0) throw invalidAnswer(id, issues);
}
