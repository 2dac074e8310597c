import type { AgentStreamEvent } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';

/** Remembers what a stream has open, so that somebody else can close it. */
export interface OpenSpans {
  saw(event: AgentStreamEvent): void;
  /** What closes everything, innermost first. */
  closing(): AgentStreamEvent[];
}

export function createOpenSpans(): OpenSpans {
  const open = new Map<string, AgentStreamEvent>();
  return {
    saw(event) {
      // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- everything else opens and closes nothing
      switch (event.type) {
        case EventType.TEXT_MESSAGE_START:
          open.set(`text ${event.messageId}`, {
            type: EventType.TEXT_MESSAGE_END,
            messageId: event.messageId,
          });
          break;
        case EventType.TEXT_MESSAGE_END:
          open.delete(`text ${event.messageId}`);
          break;
        case EventType.TOOL_CALL_START:
          open.set(`call ${event.toolCallId}`, {
            type: EventType.TOOL_CALL_END,
            toolCallId: event.toolCallId,
          });
          break;
        case EventType.TOOL_CALL_END:
          open.delete(`call ${event.toolCallId}`);
          break;
        case EventType.REASONING_START:
          open.set(`span ${event.messageId}`, { type: EventType.REASONING_END, messageId: event.messageId });
          break;
        case EventType.REASONING_END:
          open.delete(`span ${event.messageId}`);
          break;
        case EventType.REASONING_MESSAGE_START:
          open.set(`thought ${event.messageId}`, {
            type: EventType.REASONING_MESSAGE_END,
            messageId: event.messageId,
          });
          break;
        case EventType.REASONING_MESSAGE_END:
          open.delete(`thought ${event.messageId}`);
          break;
        case EventType.STEP_STARTED:
          open.set(`step ${event.stepName}`, { type: EventType.STEP_FINISHED, stepName: event.stepName });
          break;
        case EventType.STEP_FINISHED:
          open.delete(`step ${event.stepName}`);
          break;
        case EventType.SUBAGENT_STARTED:
          open.set(`agent ${event.subagentRunId}`, {
            type: EventType.SUBAGENT_ERROR,
            subagentRunId: event.subagentRunId,
            message: 'The run was stopped.',
          });
          break;
        case EventType.SUBAGENT_FINISHED:
        case EventType.SUBAGENT_ERROR:
          open.delete(`agent ${event.subagentRunId}`);
          break;
      }
    },
    closing: () => [...open.values()].toReversed(),
  };
}
