import type { IdGenerator } from '../../core/index.ts';
import type { Emitter, OpenStream, SubagentEmitter } from '../../protocol/index.ts';

/** For runs that nobody watches: it gives ids and says nothing. */
export function silentEmitter(newId: IdGenerator): Emitter {
  const nothing = () => undefined;
  const open = (id: string | undefined): OpenStream => ({ id: id ?? newId(), delta: nothing, end: nothing });
  const stream = {
    text: (options: { readonly messageId?: string } = {}) => open(options.messageId),
    reasoning: (options: { readonly messageId?: string } = {}) => open(options.messageId),
    toolCall: (_name: string, options: { readonly toolCallId?: string } = {}) => open(options.toolCallId),
    toolResult: nothing,
    step: () => ({ end: nothing }),
    state: nothing,
    stateDelta: nothing,
    activity: nothing,
    activityDelta: nothing,
    encryptedValue: nothing,
    custom: nothing,
    raw: nothing,
    subagent: (options: { readonly subagentRunId?: string }): SubagentEmitter => ({
      ...stream,
      subagentRunId: options.subagentRunId ?? newId(),
      finish: nothing,
      suspend: nothing,
      fail: nothing,
    }),
  };
  return {
    ...stream,
    start: nothing,
    messages: nothing,
    finish: nothing,
    interrupt: nothing,
    cancel: nothing,
    fail: nothing,
    ended: false,
  };
}
