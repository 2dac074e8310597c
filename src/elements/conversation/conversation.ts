import type { InboxItem, ThreadSnapshot } from '../../client/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import type { CardStatus } from '../interrupt/card-status.ts';

/** A question on the screen, and where its answer stands. */
export interface Card {
  readonly interrupt: Interrupt;
  readonly status: CardStatus;
}

/** A conversation at one moment: the thread, and its cards. */
export interface ConversationSnapshot extends ThreadSnapshot {
  /** Whether the thread was read from the server. */
  readonly isReady: boolean;
  /** A request of this screen is under way. */
  readonly isBusy: boolean;
  /** What went wrong with the newest request, other than with an answer. */
  readonly trouble: unknown;
  /** The open questions, and those of which there is something left to say. */
  readonly cards: readonly Card[];
}

/** A thread as a screen uses it: it reads, follows, sends, and keeps each answer until the server has it. */
export interface Conversation {
  readonly threadId: string;
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => ConversationSnapshot;
  /** Reads the thread and follows it, until {@link close}; a broken stream is taken up again. */
  open(): void;
  close(): void;
  /** Sends a message. With open questions it cancels them: nobody answers what was steered away from. */
  say(text: string): Promise<void>;
  /** Gives an answer: it goes when every open question has one. */
  answer(entry: ResumeEntry): Promise<void>;
  /** Sends the same answer again. */
  retry(interruptId: string): Promise<void>;
  askAgain(interruptId: string): Promise<void>;
  /** Continues a turn that failed. */
  goOn(): Promise<void>;
  /** Answers the last message anew; the old answer is kept on a branch of its own, out of sight. */
  regenerate(): Promise<void>;
  stop(): Promise<void>;
  /** What the inbox says is open: a question of this thread that is not among it was answered elsewhere. */
  seen(open: readonly InboxItem[]): Promise<void>;
}
