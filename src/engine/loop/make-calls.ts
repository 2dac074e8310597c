import { HoldpointError, parseJson } from '../../core/index.ts';
import { validateWithSchema } from '../../core/schema/index.ts';
import type { ToolCall } from '../../protocol/index.ts';
import { done, failed } from '../calls/call-state.ts';
import type { CallState } from '../calls/call-state.ts';
import { executeCall } from '../calls/execute-call.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { Tool } from '../tools/tool.ts';
import { holdCall } from './hold-call.ts';
import type { LoopSettings } from './loop-settings.ts';
import type { TurnCall } from './turn-calls.ts';
import { settleAll } from './turn-calls.ts';

/** What a turn's calls came to. */
export interface MadeCalls {
  readonly calls: readonly TurnCall[];
  /** Set when the model said that it is done. */
  readonly exit?: { readonly result: unknown };
}

/** Makes the calls a model asked for, side by side; each that needs a person waits without holding up the others. */
export async function makeCalls(
  calls: readonly ToolCall[],
  settings: LoopSettings,
  run: RunContext,
): Promise<MadeCalls> {
  const exit = await findExit(calls, settings);
  if (exit !== undefined) {
    const ended = failed('Skipped: the task has ended.');
    const states = calls.map((call): TurnCall => ({
      call,
      state: call === exit.call ? done(exit.result) : ended,
    }));
    return { calls: states, exit: { result: exit.result } };
  }
  const states = await settleAll(
    calls.map(async (call): Promise<TurnCall> => ({ call, state: await makeCall(call, settings, run) })),
  );
  return { calls: states };
}

/** Makes one call: what it gave, or what it waits for; undefined for one that the client is to make. */
export async function makeCall(
  call: ToolCall,
  settings: LoopSettings,
  run: RunContext,
): Promise<CallState | undefined> {
  const { name } = call.function;
  const tool = settings.tools.get(name);
  if (tool === undefined) {
    if (settings.clientTools.some((declared) => declared.name === name)) return undefined;
    return failed(`There is no tool ${name}. There are: ${[...settings.tools.keys()].join(', ') || 'none'}.`);
  }
  const parsed = parseArguments(call, tool);
  if ('state' in parsed) return parsed.state;
  const checked = await validateWithSchema(tool.input, parsed.input);
  const toRun = { tool, toolCallId: call.id, input: parsed.input };
  if (!checked.ok) return executeCall(toRun, run);
  const decided = await holdCall(
    { ...toRun, checked: { value: checked.value } },
    settings.requireApproval,
    run,
  );
  return decided.type === 'held' ? decided.state : executeCall(decided.call, run);
}

function parseArguments(
  call: ToolCall,
  tool: Tool,
): { readonly input: unknown } | { readonly state: CallState } {
  try {
    return { input: parseJson(call.function.arguments) };
  } catch (error) {
    if (!HoldpointError.is(error)) throw error;
    return { state: failed(`The arguments of ${tool.name} are not JSON.`) };
  }
}

async function findExit(
  calls: readonly ToolCall[],
  settings: LoopSettings,
): Promise<{ readonly call: ToolCall; readonly result: unknown } | undefined> {
  for (const call of calls) {
    const tool = settings.tools.get(call.function.name);
    if (tool?.kind !== 'exit') continue;
    const parsed = parseArguments(call, tool);
    if ('state' in parsed) continue;
    const checked = await validateWithSchema(tool.input, parsed.input);
    if (checked.ok) return { call, result: checked.value };
  }
  return undefined;
}
