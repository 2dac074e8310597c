/** The common members of every event. */
interface Timed {
  /** Milliseconds since the Unix epoch. */
  readonly timestamp: number;
}

/** Opens the run; always the first event. */
export interface RunStartedEvent extends Timed {
  readonly type: 'RUN_STARTED';
  readonly threadId: string;
  readonly runId: string;
  readonly protocolVersion: '1.0';
}

/** Opens the one message of the run. */
export interface TextMessageStartEvent extends Timed {
  readonly type: 'TEXT_MESSAGE_START';
  readonly messageId: string;
  readonly role: 'assistant';
}

/** Appends to the message; `delta` is never empty. */
export interface TextMessageContentEvent extends Timed {
  readonly type: 'TEXT_MESSAGE_CONTENT';
  readonly messageId: string;
  readonly delta: string;
}

/** Closes the message; comes before either end of the run. */
export interface TextMessageEndEvent extends Timed {
  readonly type: 'TEXT_MESSAGE_END';
  readonly messageId: string;
}

/** Closes a run whose source ended. */
export interface RunFinishedEvent extends Timed {
  readonly type: 'RUN_FINISHED';
  readonly threadId: string;
  readonly runId: string;
  readonly outcome: { readonly type: 'success' };
}

/** Closes a run whose source failed; nothing follows it. */
export interface RunErrorEvent extends Timed {
  readonly type: 'RUN_ERROR';
  readonly message: string;
  readonly code: 'INTERNAL';
}

/** The six events of tier 1, as AG-UI 1.0 spells them. */
export type CoreEvent =
  | RunStartedEvent
  | TextMessageStartEvent
  | TextMessageContentEvent
  | TextMessageEndEvent
  | RunFinishedEvent
  | RunErrorEvent;
