import { defined, HoldpointError, publicMessage } from '../../core/index.ts';
import type { Message, SubagentEmitter } from '../../protocol/index.ts';
import type { InterruptPart, Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import type { CallState, CallToRun } from './call-state.ts';
import { done, failed, waiting } from './call-state.ts';
import { checkpointsWithin } from './checkpoints.ts';
import type { RunContext } from './run-context.ts';

/** Runs an agent as a tool; its interrupts become those of the call, marked with its run. */
export async function runSubagent(call: CallToRun, run: RunContext): Promise<CallState> {
  const { tool, toolCallId, child } = call;
  if (!isSubagentTool(tool)) throw new HoldpointError('INTERNAL', `${tool.name} is not an agent.`);
  const subagentRunId = run.newId();
  const emitter = run.emitter.subagent({ name: tool.name, subagentRunId, parentToolCallId: toolCallId });
  let hasStarted = false;
  const within =
    run.checkpoints === undefined
      ? undefined
      : checkpointsWithin(run.checkpoints, toolCallId, () => {
          hasStarted = true;
        });
  try {
    const start = { input: call.input, messages: child?.messages ?? [], replies: child?.replies ?? [] };
    const result = await tool.runSubagent(start, { ...run, emitter, checkpoints: within });
    if (result.status === 'done') {
      emitter.finish({ result: result.output });
      return done(result.output);
    }
    const interrupts = result.interrupts.map(({ kind, toolName, interrupt, rules }) => ({
      ...defined({ rules }),
      kind,
      toolName,
      interrupt: { ...interrupt, subagentRunId: interrupt.subagentRunId ?? subagentRunId },
    }));
    emitter.suspend(interrupts.map(({ interrupt }) => interrupt.id));
    const state = waiting(interrupts, call);
    return state.status === 'waiting'
      ? { ...state, child: { subagentRunId, messages: result.messages } }
      : state;
  } catch (error) {
    if (run.signal.aborted) throw error;
    const code = HoldpointError.is(error) ? error.code : 'TOOL_FAILED';
    const message = publicMessage(error);
    emitter.fail(message, { code });
    // A read that failed fails the run: it is not a result for the model.
    if (code === 'STORE_FAILED') throw error;
    // An invalid answer changes nothing: the same interrupts are raised again, unless a call has started with it.
    if (code === 'ANSWER_INVALID' && child !== undefined && !hasStarted) {
      run.warn(message);
      const state = waiting(child.interrupts, call);
      const { subagentRunId: asked, messages } = child;
      return state.status === 'waiting' ? { ...state, child: { subagentRunId: asked, messages } } : state;
    }
    return failed(`${tool.name} failed: ${message}`);
  }
}

/** The result of a subagent: it is done, or it waits for people. */
export type SubagentResult =
  | { readonly status: 'done'; readonly output: unknown }
  | {
      readonly status: 'waiting';
      readonly interrupts: readonly InterruptPart[];
      readonly messages: readonly Message[];
    };

/** The start of a subagent, or the continuation of a waiting one. */
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
