import type { Client, InboxItem } from '../../src/client/index.ts';
import { decidedAt, decidedTitle, readDecision } from '../inbox/request-context.ts';
import type { AuditQuery } from './audit-query.ts';
import { listDecisions } from './audit-query.ts';
import { isRecord } from '../../src/core/index.ts';
import { cardFacts, givenAnswerOf, toCsv } from '../../src/elements/index.ts';
import { reasonOf } from '../../src/elements/interrupt/decision.ts';
import { decidedAmount } from '../../src/elements/interrupt/amounts.ts';

const PAGE = 500;
const COLUMNS = [
  'answeredAt',
  'decision',
  'outcome',
  'summary',
  'by',
  'via',
  'title',
  'agent',
  'tool',
  'amount',
  'reason',
  'kind',
  'askedBy',
  'raisedAt',
  'status',
  'arguments',
  'answer',
  'threadId',
  'interruptId',
  'conversationDeletedBy',
  'conversationDeletedAt',
];

/** Saves every decision that a filter selects as a file: all pages, not only those on the screen. */
export async function saveDecisions(
  inbox: Client['inbox'],
  query: AuditQuery,
  form: 'json' | 'csv',
): Promise<number> {
  const items: InboxItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await listDecisions(inbox, query, { limit: PAGE, cursor });
    items.push(...page.interrupts);
    cursor = page.next;
  } while (cursor !== undefined);
  const records = items.map(toRecord);
  const text = form === 'json' ? JSON.stringify(records, undefined, 2) : toCsv(COLUMNS, records);
  const url = URL.createObjectURL(
    new Blob([text], { type: form === 'json' ? 'application/json' : 'text/csv' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = `decisions.${form}`;
  link.click();
  URL.revokeObjectURL(url);
  return items.length;
}

/**
 * A decision as a record. `title`, `summary` and `amount` are written as on the page; `arguments` and `answer` have the values of the tool.
 * `decision` says what was decided, `outcome` what became of the call, and `status` the state of the interrupt.
 * `reason` has the words of the person who decided, `kind` the reason of the interrupt.
 */
function toRecord(item: InboxItem): Readonly<Record<string, unknown>> {
  const { threadId, interrupt, agent, askedBy, raisedAt, status, answer, threadDeleted } = item;
  const facts = cardFacts(interrupt);
  const answered = givenAnswerOf(item);
  const at = decidedAt(item);
  const { decision, words, outcome } = readDecision(item);
  const { via } = (answer ?? {}) as { via?: unknown };
  return {
    answeredAt: at === undefined ? undefined : new Date(at).toISOString(),
    decision: decision === 'changed' ? 'approved' : decision,
    outcome,
    summary: words,
    // A rule of the host decides an expiry.
    by: decision === 'expired' ? undefined : answered?.by,
    via,
    title: decidedTitle(item),
    agent,
    tool: facts.toolName,
    amount: decidedAmount({ facts }, memberOf(answered?.payload, 'editedArgs')),
    reason: reasonOf(answered ?? {}),
    kind: interrupt.reason,
    askedBy,
    raisedAt,
    status,
    arguments: facts.args,
    answer: answered?.payload,
    threadId,
    interruptId: interrupt.id,
    conversationDeletedBy: threadDeleted?.by,
    conversationDeletedAt: threadDeleted?.at,
  };
}

function memberOf(payload: unknown, name: string): unknown {
  return isRecord(payload) ? payload[name] : undefined;
}
