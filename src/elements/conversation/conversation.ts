import type { InboxItem, ThreadSnapshot } from '../../client/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import type { CardStatus } from '../interrupt/card-status.ts';
import type { InterruptEntry } from './records.ts';

/** An interrupt on the screen and the status of its answer. */
export interface Card {
  readonly interrupt: Interrupt;
  readonly status: CardStatus;
}

/** A conversation at one moment: the thread and its cards. */
export interface ConversationSnapshot extends ThreadSnapshot {
  /** True once the thread was read from the server. */
  readonly isReady: boolean;
  /** True when the host has no such thread, or does not show it to the viewer. A message begins a thread that does not exist. */
  readonly isUnknown: boolean;
  /** True from {@link Conversation.open} until the thread was read, is unknown, or took 5 seconds. */
  readonly isLoading: boolean;
  /** True while a request of this screen is in progress, or a message waits for it. */
  readonly isBusy: boolean;
  /** The error of the newest request; errors of an answer are on its card. */
  readonly trouble: unknown;
  /** The open interrupts, and closed ones whose outcome is still shown. */
  readonly cards: readonly Card[];
  /** Every interrupt of the thread with its answer, for the record. */
  readonly records: readonly InterruptEntry[];
}

/** A thread as a screen uses it: reads, follows and sends, and keeps each answer until the server has it. */
export interface Conversation {
  readonly threadId: string;
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => ConversationSnapshot;
  /** Reads the thread and follows it until {@link close}; reconnects when the stream breaks. */
  open(): void;
  close(): void;
  /**
   * Sends a message. Sends the staged answers with it and cancels the other open interrupts; those that wait for another
   * person are withdrawn.
   */
  say(text: string): Promise<void>;
  /** Stages an answer, and sends all answers once every open interrupt has one. */
  answer(entry: ResumeEntry): Promise<void>;
  /** Sends the same answer again. */
  retry(interruptId: string): Promise<void>;
  askAgain(interruptId: string): Promise<void>;
  /** Takes the viewer's own request back. */
  withdraw(interruptId: string): Promise<void>;
  /** Takes the card of a closed interrupt off the screen. */
  dismiss(interruptId: string): void;
  /** Continues a turn that failed. */
  goOn(): Promise<void>;
  /** Generates a new answer to the last message; the old answer stays on a hidden branch. */
  regenerate(): Promise<void>;
  /** Stops the newest run, also one that another page started. */
  stop(): Promise<void>;
  /**
   * Takes the open interrupts of the inbox: an interrupt of this thread that is missing there was answered
   * elsewhere.
   */
  seen(open: readonly InboxItem[]): Promise<void>;
}
