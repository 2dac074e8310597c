import type { InboxAnswer, InboxItem, ResumeEntry } from '../../src/client/index.ts';
import type { Decision, Text } from '../../src/elements/index.ts';
import {
  answerWords,
  cardFacts,
  decisionOf,
  givenAnswerOf,
  rowTitle,
  translate,
} from '../../src/elements/index.ts';
import { answerWordsAbout } from '../../src/elements/interrupt/decision.ts';
import type { Outcome } from './decide-requests.ts';
import type { DecidedRequest } from './request-pane.ts';

/** The notice of one decision: what was decided, and what the agent does then. */
export function decidedNotice({ item, entry, answer, answered }: DecidedRequest): Outcome {
  const facts = cardFacts(item.interrupt);
  const decision = decisionOf(entry);
  const given = withoutReason(entry);
  // The title of a changed call may name what was changed.
  const parts =
    decision === 'changed'
      ? [answerWords(given, facts), translate('Proposed: {0}', rowTitle(facts))]
      : [answerWordsAbout(rowTitle(facts), given, facts)];
  const words = parts.map((part) => part.replace(/[^.!?]$/, '$&.')).join(' ');
  const next = whatFollows(decision, answer, answered);
  const text = next === undefined ? words : `${words} ${translate(next)}`;
  return { text, items: [item], decision };
}

/** What the agent does after a decision; undefined when it continues at once. `answered`: the answered requests of the turn. */
function whatFollows(
  decision: Decision,
  { state }: InboxAnswer,
  answered: readonly InboxItem[],
): Text | undefined {
  const isStaged = state === 'staged';
  if (decision !== 'cancelled')
    return isStaged ? 'The agent continues when its other requests are answered.' : undefined;
  if (isStaged) return 'The agent gets no answer to it, and continues when its other requests are answered.';
  // An agent that got no answer at all has nothing to continue with.
  const hasAnswer = answered.some((item) => givenAnswerOf(item)?.status !== 'cancelled');
  return hasAnswer
    ? 'The agent gets no answer to it, and continues with its other answers.'
    : 'The agent gets no answer.';
}

/** The person who has just written the reason does not need to read it again. */
function withoutReason(entry: ResumeEntry): ResumeEntry {
  const { payload } = entry;
  if (typeof payload !== 'object' || payload === null || !('reason' in payload)) return entry;
  const { reason: _reason, ...rest } = payload;
  return { ...entry, payload: rest };
}
