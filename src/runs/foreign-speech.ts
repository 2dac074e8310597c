import type { JsonValue } from '../core/index.ts';
import type { EndRun } from '../ledger/index.ts';
import type { AgentStreamEvent, Message } from '../protocol/index.ts';
import { createApplier, createVerifier, EventType, PROTOCOL_VERSION } from '../protocol/index.ts';
import { toLog } from './conversation.ts';
import type { ForeignRun } from './foreign-run.ts';
import { messageNews } from './message-news.ts';
import { createOpenSpans } from './open-spans.ts';
import { runStarted } from './run-started.ts';

/** What a foreign agent has said so far, and what it comes to. */
export interface ForeignSpeech {
  /** Checks an event, and keeps and shows it. Throws for one that is out of order. */
  put(event: AgentStreamEvent): void;
  /** What ends whatever is open. */
  closing(): readonly AgentStreamEvent[];
  readonly isOver: boolean;
  readonly applier: ReturnType<typeof createApplier>;
  kept(): Pick<EndRun, 'messages' | 'state' | 'inputTaken'>;
}

/** Begins to speak: the run is shown as begun. */
export function createSpeech(run: ForeignRun): ForeignSpeech {
  const { log, conversation, started, input, newMessages } = run;
  const verifier = createVerifier();
  const spans = createOpenSpans();
  const messages = [...conversation, ...(started.input as unknown as readonly Message[])];
  const applier = createApplier({ messages, state: started.state });
  let isOver = false;
  const put = (event: AgentStreamEvent) => {
    verifier.check(event);
    spans.saw(event);
    applier.apply(event);
    log.write(event);
    isOver = event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR;
  };
  const { threadId, runId } = input;
  const begun = { type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION } as const;
  for (const event of runStarted(begun, { newMessages, conversation: messages })) put(event);
  return {
    put,
    closing: () => (isOver ? [] : spans.closing()),
    get isOver() {
      return isOver;
    },
    applier,
    kept: () => ({
      messages: toLog(messageNews(conversation, applier.messages)),
      state: applier.state as JsonValue,
      inputTaken: true,
    }),
  };
}
