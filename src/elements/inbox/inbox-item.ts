import type { InboxItem } from '../../client/index.ts';
import { isRecord } from '../../core/index.ts';
import { expiryOf } from '../../protocol/index.ts';
import { toWords } from '../base/words.ts';
import { givenAnswerOf } from '../conversation/given-answer.ts';
import type { CardFacts } from '../interrupt/card-facts.ts';
import { cardFacts } from '../interrupt/card-facts.ts';
import type { GivenAnswer } from '../interrupt/card-status.ts';

/** An interrupt as a row of the inbox. */
export interface InboxRow {
  readonly key: string;
  readonly item: InboxItem;
  readonly facts: CardFacts;
  readonly agent: string;
  readonly status: string;
  readonly askedBy: string | undefined;
  readonly raisedAt: number | undefined;
  readonly expiresAt: number | undefined;
  readonly answered: GivenAnswer | undefined;
}

/** The row of an inbox item. */
export function toRow(item: InboxItem): InboxRow {
  const { threadId, interrupt, agent, status, askedBy, raisedAt } = item;
  const raised = typeof raisedAt === 'string' ? Date.parse(raisedAt) : Number.NaN;
  return {
    key: `${threadId}/${interrupt.id}`,
    item,
    facts: cardFacts(interrupt),
    agent: typeof agent === 'string' ? agent : '',
    status: typeof status === 'string' ? status : 'pending',
    askedBy: typeof askedBy === 'string' ? askedBy : undefined,
    raisedAt: Number.isNaN(raised) ? undefined : raised,
    expiresAt: expiryOf(interrupt),
    answered: givenAnswerOf(item),
  };
}

/** The text that tells a row from similar ones: the arguments of the call, else the message. */
export function rowText({ item, facts }: InboxRow): string {
  const { args } = facts;
  const values = isRecord(args)
    ? Object.entries(args).map(([name, value]) => `${toWords(name)}: ${shortText(value)}`)
    : [];
  return facts.isApproval && values.length > 0 ? values.join(' · ') : (item.interrupt.message ?? '');
}

function shortText(value: unknown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 60)} …` : text;
}

/** True when all rows are calls of one tool that can be undone and need nothing but a yes. */
export function mayApproveTogether(rows: readonly InboxRow[]): boolean {
  const [first] = rows;
  return (
    first !== undefined &&
    rows.every(
      ({ facts, status }) =>
        status === 'pending' &&
        facts.isApproval &&
        !facts.isDestructive &&
        facts.confirmation === undefined &&
        facts.extras === undefined &&
        facts.toolName === first.facts.toolName,
    )
  );
}
