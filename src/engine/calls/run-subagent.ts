import { HoldpointError, publicMessage } from '../../core/index.ts';
import { isSubagentTool } from '../tools/subagent.ts';
import { checkpointsWithin } from './checkpoints.ts';
import { done, failed, waiting } from './call-outcomes.ts';
import type { CallState } from './call-state.ts';
import type { CallToRun } from './call-to-run.ts';
import type { RunContext } from './run-context.ts';

/** Runs an agent as a tool; its questions become those of the call, marked with its run. */
export async function runSubagent(call: CallToRun, run: RunContext): Promise<CallState> {
  const { tool, toolCallId, child } = call;
  if (!isSubagentTool(tool)) throw new HoldpointError('INTERNAL', `${tool.name} is no agent.`);
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
    const questions = result.interrupts.map(({ kind, toolName, interrupt, rules }) => ({
      ...(rules === undefined ? {} : { rules }),
      kind,
      toolName,
      interrupt: { ...interrupt, subagentRunId: interrupt.subagentRunId ?? subagentRunId },
    }));
    emitter.suspend(questions.map(({ interrupt }) => interrupt.id));
    const state = waiting(questions, call);
    return state.status === 'waiting'
      ? { ...state, child: { subagentRunId, messages: result.messages } }
      : state;
  } catch (error) {
    if (run.signal.aborted) throw error;
    const code = HoldpointError.is(error) ? error.code : 'TOOL_FAILED';
    const message = publicMessage(error);
    emitter.fail(message, { code });
    // An answer that does not fit changes nothing: the same questions are asked again, unless a call has started with it.
    if (code === 'ANSWER_INVALID' && child !== undefined && !hasStarted) {
      run.warn(message);
      const state = waiting(child.questions, call);
      const { subagentRunId: asked, messages } = child;
      return state.status === 'waiting' ? { ...state, child: { subagentRunId: asked, messages } } : state;
    }
    return failed(`${tool.name} failed: ${message}`);
  }
}
