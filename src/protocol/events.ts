import type {
  AGUIEventByType,
  EventType,
  RunErrorEvent,
  RunFinishedEvent,
  RunStartedEvent,
  TextMessageContentEvent,
  TextMessageEndEvent,
  TextMessageStartEvent,
} from '@ag-ui/core';

export { aggregateTokenUsage } from '@ag-ui/core';

/** The six events of a text stream. */
export type CoreStreamEvent =
  | RunStartedEvent
  | RunFinishedEvent
  | RunErrorEvent
  | TextMessageStartEvent
  | TextMessageContentEvent
  | TextMessageEndEvent;

/** Every event of AG-UI 1.0; the core events are among them. */
export type AgentStreamEvent = AGUIEventByType[EventType];
