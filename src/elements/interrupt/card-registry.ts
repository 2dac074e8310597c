import type { Interrupt } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { answerBody } from './answer-body.ts';
import { approvalBody } from './approval-body.ts';
import type { CardBody } from './card-context.ts';
import { recoveryBody } from './recovery-body.ts';

/** Card bodies by the reason of the interrupt; `*` is the default. */
const bodies = new Map<string, CardBody>([
  [InterruptReason.ErrorRecovery, recoveryBody],
  ['*', (card) => (card.facts.isApproval ? approvalBody(card) : answerBody(card))],
]);

/**
 * Registers the card body for interrupts with this reason; `*` sets the body for every reason without its own.
 *
 * @example
 * ```ts
 * import { registerCard } from 'holdpoint/elements';
 * import { html } from 'lit';
 *
 * registerCard('acme:sign_off', (card) => html`<p>${card.facts.title}</p>`);
 * ```
 */
export function registerCard(reason: string, body: CardBody): void {
  bodies.set(reason, body);
}

/** The body for an interrupt; an unknown reason gets the default. */
export function cardBodyFor({ reason }: Pick<Interrupt, 'reason'>): CardBody {
  return bodies.get(reason) ?? bodies.get('*') ?? answerBody;
}
