import type { AgentStreamEvent, Interrupt, RunAgentInput } from '../../protocol/index.ts';
import { EventType } from '../../protocol/index.ts';

type Ids = Pick<RunAgentInput, 'threadId' | 'runId'>;

/** The start and end events of a run around the given events. */
export function runOf(ids: Ids, inside: readonly AgentStreamEvent[], end: object = {}): AgentStreamEvent[] {
  const { threadId, runId } = ids;
  return [
    { type: EventType.RUN_STARTED, threadId, runId },
    ...inside,
    { type: EventType.RUN_FINISHED, threadId, runId, ...end },
  ];
}

export function text(...deltas: string[]): AgentStreamEvent[] {
  return [
    { type: EventType.TEXT_MESSAGE_START, messageId: 'm1', role: 'assistant' },
    ...deltas.map((delta) => ({ type: EventType.TEXT_MESSAGE_CONTENT as const, messageId: 'm1', delta })),
    { type: EventType.TEXT_MESSAGE_END, messageId: 'm1' },
  ];
}

export function call(toolCallId: string, toolCallName: string, args: unknown): AgentStreamEvent[] {
  return [
    { type: EventType.TOOL_CALL_START, toolCallId, toolCallName },
    { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(args) },
    { type: EventType.TOOL_CALL_END, toolCallId },
  ];
}

export function interrupted(...interrupts: Interrupt[]): object {
  return { outcome: { type: 'interrupt', interrupts } };
}

export const APPROVAL: Interrupt = {
  id: 'q1',
  reason: 'tool_call',
  message: 'Send it?',
  responseSchema: {
    type: 'object',
    properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
    required: ['approved'],
  },
  metadata: { functionName: 'sendEmail', functionArguments: { to: 'a@b.com' } },
};

export const EMAIL: Interrupt = {
  id: 'q2',
  reason: 'input_required',
  message: 'Your e-mail?',
  responseSchema: { type: 'string', format: 'email' },
};

/** The code of the error that a promise rejects with. */
export function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no error',
    (error: unknown) => (error as { code?: unknown }).code ?? String(error),
  );
}
