import type { ToolCall } from '../../protocol/index.ts';

const PREFIX = 'agent:';

/** The name of the call that stands for an agent written as code; only the loop sees it. */
export function codeCallName(agentId: string): string {
  return `${PREFIX}${agentId}`;
}

export function isCodeCall(call: ToolCall): boolean {
  return call.function.name.startsWith(PREFIX);
}
