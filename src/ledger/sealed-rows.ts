import { defined } from '../core/index.ts';
import type { HistoryFacts, InterruptRecord } from './records.ts';

/** What a row says, by the names that findings use. */
export type Shown = Readonly<Record<string, unknown>>;

/**
 * Adds to the facts of a change what they seal of the rows of interrupts that the change writes. The last fact about an interrupt
 * seals its row, and the fact about an answer seals the answer.
 */
export function sealRows(
  facts: readonly HistoryFacts[],
  before: ReadonlyMap<string, InterruptRecord>,
  after: ReadonlyMap<string, InterruptRecord> | undefined,
): readonly HistoryFacts[] {
  if (after === undefined || after.size === 0) return facts;
  const last = new Map(facts.map(({ interruptId }, at) => [interruptId, at]));
  /** The rows as the facts before left them. */
  const known = new Map(before);
  return facts.map((fact, at) => {
    const { interruptId, status } = fact;
    const record = after.get(interruptId);
    if (record === undefined) return fact;
    if (last.get(interruptId) === at) return sealRow(fact, known.get(interruptId), record);
    const earlier = known.get(interruptId);
    if (status === undefined || earlier === undefined) return fact;
    const answered: InterruptRecord = {
      ...earlier,
      ...defined({ answer: record.answer }),
      state: 'answered',
    };
    known.set(interruptId, answered);
    return sealRow(fact, earlier, answered);
  });
}

/** A fact with what it seals of a row: its state and outcome, and digests of what changed. */
export function sealRow(
  fact: HistoryFacts,
  before: InterruptRecord | undefined,
  after: InterruptRecord,
): HistoryFacts {
  const isAsked = before?.interrupt !== after.interrupt;
  const shown = {
    ...(isAsked ? shownRequest(after) : {}),
    // Every change of an answer makes a new object.
    ...(before?.answer === after.answer ? {} : { answer: after.answer }),
    ...(before !== undefined && hasSameCourse(before, after) ? {} : { course: shownCourse(after) }),
    ...fact.shown,
  };
  return {
    ...fact,
    ...(isAsked ? defined({ tool: toolOf(after) }) : {}),
    state: after.state,
    ...defined({ outcome: outcomeOf(after) }),
    ...(Object.keys(shown).length === 0 ? {} : { shown }),
  };
}

/** What a card shows of a request, and everything else of the row that never changes. */
export function shownRequest(record: InterruptRecord): Shown {
  const { interrupt, askedBy, alsoAskedBy = [], approvers, toolVersion } = record;
  const { agent, runId, batch, raisedAt, onExpire, foreign, earlier } = record;
  const { message, responseSchema, metadata = {}, ...others } = interrupt;
  const { tool, input, rest } = partsOf(metadata);
  return {
    tool,
    version: toolVersion,
    arguments: input,
    message,
    asker: [askedBy, ...alsoAskedBy],
    approvers,
    schema: responseSchema,
    details: [others, rest, agent, runId, batch, raisedAt, onExpire, foreign, earlier],
  };
}

/** The metadata of an interrupt: its tool and arguments with the names of their members, and the rest. */
function partsOf(metadata: Readonly<Record<string, unknown>>) {
  if (Object.hasOwn(metadata, 'functionName')) {
    const { functionName, functionArguments, ...rest } = metadata;
    return { tool: { functionName }, input: { functionArguments }, rest };
  }
  const { toolName, toolInput, ...rest } = metadata;
  return { tool: { toolName }, input: { toolInput }, rest };
}

function toolOf({ interrupt: { metadata = {} } }: InterruptRecord): string | undefined {
  const tool = metadata['functionName'] ?? metadata['toolName'];
  return typeof tool === 'string' ? tool : undefined;
}

/** The run that claimed an interrupt, its end, and the interrupt that took its place. */
export function shownCourse({ claimedBy, endedAt, supersededBy }: InterruptRecord): readonly unknown[] {
  return [claimedBy, endedAt, supersededBy];
}

function hasSameCourse(one: InterruptRecord, other: InterruptRecord): boolean {
  const [before, after] = [shownCourse(one), shownCourse(other)];
  return before.every((value, at) => value === after[at]);
}

/** The outcome of the call of an interrupt, unless it is as expected. */
export function outcomeOf({ failed, uncertain }: InterruptRecord): 'failed' | 'uncertain' | undefined {
  if (failed === true) return 'failed';
  return uncertain === true ? 'uncertain' : undefined;
}
