import type { Interrupt } from '../../protocol/index.ts';
import { answerBody } from './answer-body.ts';
import { approvalBody } from './approval-body.ts';
import type { CardBody } from './card-context.ts';
import { recoveryBody } from './recovery-body.ts';

/** Chosen by the reason of a question; `*` is for all the others. */
const bodies = new Map<string, CardBody>([
  ['error_recovery', recoveryBody],
  ['*', (card) => (card.facts.isApproval ? approvalBody(card) : answerBody(card))],
]);

/** Shows questions with this reason in a way of an application's own; `*` for every reason that has none. */
export function registerCard(reason: string, body: CardBody): void {
  bodies.set(reason, body);
}

/** The body for a question: an unknown reason has one too. */
export function cardBodyFor({ reason }: Pick<Interrupt, 'reason'>): CardBody {
  return bodies.get(reason) ?? bodies.get('*') ?? answerBody;
}
