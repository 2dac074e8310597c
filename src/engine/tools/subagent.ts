import type { Message, SubagentEmitter } from '../../protocol/index.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { InterruptPart, Reply } from './tool-replies.ts';
import type { Tool } from './tool.ts';

/** What a subagent did: it is done, or it waits for people. */
export type SubagentResult =
  | { readonly status: 'done'; readonly output: unknown }
  | {
      readonly status: 'waiting';
      readonly interrupts: readonly InterruptPart[];
      readonly messages: readonly Message[];
    };

/** How a call starts a subagent, or goes on with one that waited. */
export interface SubagentStart {
  readonly input: unknown;
  readonly messages: readonly Message[];
  readonly replies: readonly Reply[];
}

/** A tool that is an agent. */
export interface SubagentTool extends Tool {
  readonly kind: 'agent';
  runSubagent(
    start: SubagentStart,
    run: RunContext & { readonly emitter: SubagentEmitter },
  ): Promise<SubagentResult>;
}

export function isSubagentTool(tool: Tool): tool is SubagentTool {
  return tool.kind === 'agent';
}
