import type {
  ChatContent,
  ContentRole,
  ContentUpdate,
  CustomRequest,
  CustomResponse,
  ResponseContent,
} from '../../content/index.ts';
import type {
  AgentStreamEvent,
  Context,
  Interrupt,
  Message,
  ResumeEntry,
  RunFinishedEvent,
  TokenUsage,
  Tool,
  WireEvent,
} from '../../protocol/index.ts';
import type { Thread } from '../thread/thread-store.ts';

/** One run. It works from the start, with or without a listener. */
export interface Run<Request extends CustomRequest = never> extends AsyncIterable<RunUpdate<Request>> {
  /** Id of the thread. */
  readonly threadId: string;
  /** Id of the current request. Each request has a new id, unless the server follows another run. */
  readonly runId: string;
  /** The thread of the run, for a user interface. */
  readonly thread: Thread;
  /**
   * Resolves when the run ends, also when it is interrupted. Rejects with a `HoldpointError`, or with the signal's
   * reason after an abort.
   */
  readonly finished: Promise<Finished>;
}

/**
 * The content of one event: content parts, and for a state or activity event the new value. The updates of a run
 * cover every event; after a failure, the loop throws what `finished` rejects with.
 */
export interface RunUpdate<Request extends CustomRequest = never> extends Omit<
  ContentUpdate<Request>,
  'rawRepresentation'
> {
  /** The event in AG-UI 1.0. */
  readonly event: AgentStreamEvent;
  /** The event as it came over the wire, in the dialect of the server. */
  readonly rawRepresentation: WireEvent;
  /** The new state, for a state event. */
  readonly state?: unknown;
  /** The changed activity, for an activity event. */
  readonly activity?: Extract<Message, { role: 'activity' }>;
}

/** The outcome of a run, and the thread at that moment. */
export interface Finished {
  /** How the run ended. */
  readonly outcome: 'success' | 'interrupt' | 'cancelled';
  /** The open interrupts; the next run must answer all of them. */
  readonly interrupts: readonly Interrupt[];
  /** The messages of the thread. */
  readonly messages: readonly Message[];
  /** The state of the thread. */
  readonly state: unknown;
  /** The result of the run, if it has one. */
  readonly result?: RunFinishedEvent['result'];
  /** Tokens that the run used, one entry for each model. */
  readonly usage?: readonly TokenUsage[];
  /** Pending calls that no tool of the client handles. */
  readonly pendingToolCallIds?: readonly string[];
}

/** An answer as the AG-UI draft writes it: without a status. It counts as resolved. */
export interface DraftAnswer {
  readonly interruptId: string;
  readonly payload?: unknown;
  /** The thread, if it is named once more. */
  readonly threadId?: string;
}

/** An answer: the result of `approve` and the other replies, an answer of the draft, or a response part. */
export type AnswerInput<Response extends CustomResponse = never> =
  | ResumeEntry
  | DraftAnswer
  | ResponseContent
  | Response;

/** A message without an id gets one; a message of content parts may contain answers. */
export type MessageInput<Response extends CustomResponse = never> =
  | Message
  | { readonly role: 'user' | 'system' | 'developer' | 'assistant'; readonly content: string }
  | { readonly role: ContentRole; readonly contents: readonly (ChatContent | Response)[] };

/** Options of a run. */
export interface RunOptions {
  /** State to start from; default: the known state of the thread. */
  readonly state?: unknown;
  /** Facts for the agent beside the conversation. Default: none. */
  readonly context?: readonly Context[];
  /** Properties that the server passes to the agent. Default: none. */
  readonly forwardedProps?: unknown;
  /** Tools to declare beside the client's own; the caller answers their calls. */
  readonly tools?: readonly Tool[];
  /** Aborts the run in the client. Default: no signal. */
  readonly signal?: AbortSignal;
}

/** A run to start. */
export interface RunRequest<Response extends CustomResponse = never> extends RunOptions {
  /** Default: a new thread. */
  readonly threadId?: string;
  /** New messages, or all messages: the client compares ids. A string is a user message; one message needs no list. */
  readonly messages?: string | MessageInput<Response> | readonly MessageInput<Response>[];
  /** Answers to the open interrupts, one or a list; they replace response parts among the messages. */
  readonly resume?: AnswerInput<Response> | readonly AnswerInput<Response>[];
}
