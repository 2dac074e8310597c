import type { HoldpointElement } from './base/holdpoint-element.ts';
import { HoldpointChatElement } from './conversation/chat-element.ts';
import { HoldpointComposerElement } from './conversation/composer-element.ts';
import { HoldpointMessagesElement } from './conversation/messages-element.ts';
import type { HoldpointEvents } from './events.ts';
import { HoldpointFormElement } from './form/form-element.ts';
import { HoldpointHistoryElement } from './inbox/history-element.ts';
import { HoldpointInboxElement } from './inbox/inbox-element.ts';
import { HoldpointCountdownElement } from './interrupt/countdown-element.ts';
import { HoldpointInterruptElement } from './interrupt/interrupt-element.ts';

const ELEMENTS = [
  ['holdpoint-chat', HoldpointChatElement],
  ['holdpoint-composer', HoldpointComposerElement],
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

/** The elements by their tag. */
export interface HoldpointTags {
  'holdpoint-chat': HoldpointChatElement;
  'holdpoint-composer': HoldpointComposerElement;
  'holdpoint-countdown': HoldpointCountdownElement;
  'holdpoint-form': HoldpointFormElement;
  'holdpoint-history': HoldpointHistoryElement;
  'holdpoint-inbox': HoldpointInboxElement;
  'holdpoint-interrupt': HoldpointInterruptElement;
  'holdpoint-messages': HoldpointMessagesElement;
}

/** What a template of JSX may set on an element: its properties, and a listener for each event. */
export type ElementProps<Element extends HoldpointElement> = {
  [Name in keyof Omit<Element, keyof HoldpointElement>]?: Element[Name] | undefined;
} & { [Name in keyof HoldpointEvents as `on${Name}`]?: (event: CustomEvent<HoldpointEvents[Name]>) => void };

declare global {
  interface HTMLElementTagNameMap extends HoldpointTags {}
}
