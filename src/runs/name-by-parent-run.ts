import type { Access, InterruptRecord } from '../ledger/index.ts';
import { listQuestions, readThread } from '../ledger/index.ts';
import type { RunAgentInput } from '../protocol/index.ts';
import { UNNAMED_INTERRUPT } from '../protocol/index.ts';

/**
 * An answer of the command form that names no interrupt is for the one that the run `parentRunId` showed. It names none still
 * where more than one run of that id asked something, or none did.
 */
export async function nameByParentRun(access: Access<'read'>, input: RunAgentInput): Promise<RunAgentInput> {
  const { parentRunId, resume = [] } = input;
  const isUnnamed = resume.some(({ interruptId }) => interruptId === UNNAMED_INTERRUPT);
  if (!isUnnamed || parentRunId === undefined) return input;
  const id = await shownBy(access, parentRunId);
  if (id === undefined) return input;
  const named = resume.map((entry) =>
    entry.interruptId === UNNAMED_INTERRUPT ? { ...entry, interruptId: id } : entry,
  );
  return { ...input, resume: named };
}

/** The interrupt that a run ended with, as this form shows it: the first of its batch. */
async function shownBy(access: Access<'read'>, runId: string): Promise<string | undefined> {
  const asked: InterruptRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await listQuestions(access, cursor === undefined ? {} : { cursor });
    // One that was asked again has another id than the one that the run showed.
    asked.push(
      ...page.questions.filter(
        (record) => record.runId === runId && record.interrupt.metadata?.['supersedes'] === undefined,
      ),
    );
    cursor = page.next;
  } while (cursor !== undefined);
  const [first, ...others] = asked;
  if (first === undefined || others.some(({ batch }) => batch !== first.batch)) return undefined;
  if (others.length === 0) return first.interrupt.id;
  const batch = (await readThread(access))?.batch;
  const [shown] = batch?.id === first.batch ? batch.interruptIds : [];
  return asked.some(({ interrupt }) => interrupt.id === shown) ? shown : undefined;
}
