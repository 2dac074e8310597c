import type { ToolCall } from '../../protocol/index.ts';

const PREFIX = 'agent:';

/** The name of the call that stands for an agent written as code; only the loop sees it. */
export function codeCallName(agentId: string): string {
  return `${PREFIX}${agentId}`;
}

/** The name of the call that stands for a call of the model whose middleware waits. */
export const MODEL_CALL = `${PREFIX}#model`;

/** Whether nobody but the loop sees a call. */
export function isHiddenCall(call: ToolCall): boolean {
  return call.function.name.startsWith(PREFIX);
}
