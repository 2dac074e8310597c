import type { InboxItem } from '../client/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import type { Draft } from './form/field.ts';
import type { InboxQuery } from './inbox/inbox-query.ts';

/** The detail of `holdpoint-answer`: an answer that a person gave on a card. */
export interface AnswerDetail {
  /** The interrupt that was answered. */
  readonly interrupt: Interrupt;
  /** The answer, ready for `client.resume` or `client.inbox.answer`. */
  readonly entry: ResumeEntry;
}

/** The detail of events about one card. */
export interface CardDetail {
  readonly interrupt: Interrupt;
}

/** The detail of `holdpoint-decide-all`: several requests that a person decided together. */
export interface DecideAllDetail {
  readonly items: readonly InboxItem[];
  readonly approved: boolean;
  /** The reason of a rejection; empty without one. */
  readonly reason: string;
}

/** The detail of `holdpoint-sent`: a message that a person sent in a chat. */
export interface SentDetail {
  /** Id of the thread, also of one that starts with this message. */
  readonly threadId: string;
  readonly text: string;
}

/** The events of the elements, each with its detail. All of them bubble. */
export interface HoldpointEvents {
  /** A person answered an interrupt; the card stays locked until its `status` changes. */
  'holdpoint-answer': AnswerDetail;
  /** Send the same answer again. */
  'holdpoint-retry': CardDetail;
  /** Replace an expired interrupt by a new one. */
  'holdpoint-ask-again': CardDetail;
  /** Take the viewer's own request back. */
  'holdpoint-withdraw': CardDetail;
  /** Take a closed card away. */
  'holdpoint-close': CardDetail;
  'holdpoint-draft': Draft;
  /** The time of an interrupt is over. */
  'holdpoint-expired': object;
  /** A row of the inbox was opened; `preventDefault` keeps the link from being followed. */
  'holdpoint-open': { readonly item: InboxItem };
  /** The members of the query that a person changed. */
  'holdpoint-filter': Partial<InboxQuery>;
  /** The end of the list is in sight. */
  'holdpoint-more': object;
  'holdpoint-decide-all': DecideAllDetail;
  /** A person sent a message in a chat. */
  'holdpoint-sent': SentDetail;
  /** The message of a composer. */
  'holdpoint-send': { readonly text: string };
  'holdpoint-stop': object;
  /** A person wants to answer the open interrupts before a message is sent. */
  'holdpoint-answer-first': object;
}

type EventMap = { [Name in keyof HoldpointEvents]: CustomEvent<HoldpointEvents[Name]> };

declare global {
  // Typed `addEventListener` for the events, which bubble through every element.
  interface HTMLElementEventMap extends EventMap {}
}
