import { HoldpointMessagesElement } from './conversation/messages-element.ts';
import { HoldpointFormElement } from './form/form-element.ts';
import { HoldpointHistoryElement } from './inbox/history-element.ts';
import { HoldpointInboxElement } from './inbox/inbox-element.ts';
import { HoldpointCountdownElement } from './interrupt/countdown-element.ts';
import { HoldpointInterruptElement } from './interrupt/interrupt-element.ts';

const ELEMENTS = [
  ['holdpoint-countdown', HoldpointCountdownElement],
  ['holdpoint-form', HoldpointFormElement],
  ['holdpoint-history', HoldpointHistoryElement],
  ['holdpoint-inbox', HoldpointInboxElement],
  ['holdpoint-interrupt', HoldpointInterruptElement],
  ['holdpoint-messages', HoldpointMessagesElement],
] as const;

/**
 * Registers the custom elements; a second call does nothing. Importing the module registers nothing.
 *
 * @example
 * ```ts
 * import { defineElements } from 'holdpoint/elements';
 *
 * defineElements();
 * ```
 */
export function defineElements(registry: CustomElementRegistry = customElements): void {
  for (const [name, element] of ELEMENTS)
    if (registry.get(name) === undefined) registry.define(name, element);
}
