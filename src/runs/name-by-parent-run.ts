import { everyPage } from '../core/index.ts';
import type { Access, InterruptRecord } from '../ledger/index.ts';
import { listInterrupts, readThread } from '../ledger/index.ts';
import type { RunAgentInput } from '../protocol/index.ts';
import { UNNAMED_INTERRUPT } from '../protocol/index.ts';

/**
 * Names the interrupt of an answer in the command form by `parentRunId`: the interrupt that this run showed. Leaves
 * it unnamed if several runs of that id raised interrupts, or none did.
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

/** The interrupt that a run ended with in this form: the first of its batch. */
async function shownBy(access: Access<'read'>, runId: string): Promise<string | undefined> {
  const asked: InterruptRecord[] = [];
  for await (const page of everyPage((from) => listInterrupts(access, from))) {
    // An interrupt that was asked again has another id than the run showed.
    asked.push(
      ...page.interrupts.filter(
        (record) => record.runId === runId && record.interrupt.metadata?.['supersedes'] === undefined,
      ),
    );
  }
  const [first, ...others] = asked;
  if (first === undefined || others.some(({ batch }) => batch !== first.batch)) return undefined;
  if (others.length === 0) return first.interrupt.id;
  const batch = (await readThread(access))?.batch;
  const [shown] = batch?.id === first.batch ? batch.interruptIds : [];
  return asked.some(({ interrupt }) => interrupt.id === shown) ? shown : undefined;
}
