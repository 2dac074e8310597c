import type {
  ChatContent,
  ContentRole,
  ContentUpdate,
  CustomRequest,
  CustomResponse,
  ResponseContent,
} from '../../content/index.ts';
import type {
  Context,
  Interrupt,
  Message,
  ResumeEntry,
  RunFinishedEvent,
  TokenUsage,
  Tool,
} from '../../protocol/index.ts';
import type { Thread } from '../thread/thread.ts';

/** One run as its caller sees it. It is at work from the start, whether or not anyone listens. */
export interface Run<Request extends CustomRequest = never> extends AsyncIterable<RunUpdate<Request>> {
  readonly threadId: string;
  /** The id of the request under way: each one has a fresh id, unless the server follows another run. */
  readonly runId: string;
  readonly thread: Thread;
  /**
   * How it ended; an interrupted run is no error. Rejects with a `HoldpointError` whose code says what was refused
   * or failed, and with the signal's reason when it was aborted.
   */
  readonly finished: Promise<Finished>;
}

/**
 * What one event adds: content parts, and for an event of state or activity what that is now. Reading all of a
 * run's updates gives every event; after a failure the loop throws what `finished` rejects with.
 */
export interface RunUpdate<Request extends CustomRequest = never> extends ContentUpdate<Request> {
  readonly state?: unknown;
  readonly activity?: Extract<Message, { role: 'activity' }>;
}

/** How a run ended, and the thread as it is then. */
export interface Finished {
  readonly outcome: 'success' | 'interrupt' | 'cancelled';
  /** The open questions; all of them are answered in the next run. */
  readonly interrupts: readonly Interrupt[];
  readonly messages: readonly Message[];
  readonly state: unknown;
  readonly result?: RunFinishedEvent['result'];
  readonly usage?: readonly TokenUsage[];
  /** Calls that wait for a result from here and are for none of the client's tools. */
  readonly pendingToolCallIds?: readonly string[];
}

/** An answer: what `approve` and its like give, or a response part. */
export type AnswerInput<Response extends CustomResponse = never> = ResumeEntry | ResponseContent | Response;

/** A message without an id gets one; one of content parts may hold answers among them. */
export type MessageInput<Response extends CustomResponse = never> =
  | Message
  | { readonly role: 'user' | 'system' | 'developer' | 'assistant'; readonly content: string }
  | { readonly role: ContentRole; readonly contents: readonly (ChatContent | Response)[] };

/** What goes along with a run. */
export interface RunOptions {
  /** The state to start from; by default the thread's, as far as it is known. */
  readonly state?: unknown;
  readonly context?: readonly Context[];
  readonly forwardedProps?: unknown;
  /** Tools to declare beside the client's own, whose calls the caller answers. */
  readonly tools?: readonly Tool[];
  readonly signal?: AbortSignal;
}

/** A run to start. */
export interface RunRequest<Response extends CustomResponse = never> extends RunOptions {
  /** By default a new thread. */
  readonly threadId?: string;
  /** What is new, or all there is: messages are told apart by their ids. A string is a user's message. */
  readonly messages?: string | readonly MessageInput<Response>[];
  /** Answers to the open questions; they win over response parts among the messages. */
  readonly resume?: readonly AnswerInput<Response>[];
}
