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

/** Card bodies by the name of the tool that asks; they go before those by reason. */
const toolBodies = new Map<string, CardBody>();

/**
 * Registers the card body for interrupts with this reason, or of this tool; a body for the tool goes before one for the
 * reason. The reason `*` sets the body for every interrupt without its own.
 *
 * @example
 * ```ts
 * import { registerCard } from 'holdpoint/elements';
 * import { html } from 'lit';
 *
 * registerCard('acme:sign_off', (card) => html`<p>${card.facts.title}</p>`);
 * registerCard({ tool: 'transferMoney' }, (card) => html`<p>${card.facts.headline}</p>`);
 * ```
 */
export function registerCard(kind: string | { readonly tool: string }, body: CardBody): void {
  if (typeof kind === 'string') bodies.set(kind, body);
  else toolBodies.set(kind.tool, body);
}

/** The body for an interrupt; an unknown reason of an unknown tool gets the default. */
export function cardBodyFor(reason: string, toolName: string | undefined): CardBody {
  return toolBodies.get(toolName ?? '') ?? bodies.get(reason) ?? bodies.get('*') ?? answerBody;
}
