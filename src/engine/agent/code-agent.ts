import { HoldpointError } from '../../core/index.ts';
import type { Message, ResumeEntry, ToolCall } from '../../protocol/index.ts';
import type { CallState } from '../calls/call-state.ts';
import { codeCallName, withCallState, withTurnState } from '../calls/call-state.ts';
import { executeCall } from '../calls/execute-call.ts';
import type { RunContext } from '../calls/run-context.ts';
import { assertNothingOpen, openParts, openTurn } from '../loop/open-turn.ts';
import { resumeTurn } from '../loop/resume-turn.ts';
import type { LoopResult, LoopRunner } from '../loop/run-loop.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import { TOOL_DEFAULTS } from '../tools/tool.ts';
import type { CodeAgentContext, CodeAttempt } from './code-context.ts';
import { codeContext, NO_MODEL, sayNow } from './code-context.ts';

/** The input of an agent in plain code. */
export interface CodeAgentInput {
  readonly messages: readonly Message[];
  /** The text of the newest user message; empty without one. */
  readonly text: string;
}

export interface CodeAgentOptions {
  /** Runs from the top each time; `step`, `ask`, `say` and `generate` take effect once. */
  readonly run: (input: CodeAgentInput, context: CodeAgentContext) => unknown;
}

/** Runs plain code as an agent: as a hidden call with a journal. */
export function codeAgentRunner(options: CodeAgentOptions & { readonly id: string }): LoopRunner {
  return async (start, { wrapModel = (model) => model }, run) => {
    const { recovery } = start;
    const resumes = start.replies !== undefined || recovery !== undefined;
    const messages = resumes ? [...start.messages] : [...start.messages, ...start.newMessages];
    if (!resumes) assertNothingOpen(messages);
    const turn = resumes ? openTurn(messages, { unfinished: recovery !== undefined }) : undefined;
    if (resumes && turn === undefined) {
      throw new HoldpointError('INPUT_INVALID', 'There is nothing to resume: the agent does not wait.');
    }
    const before = turn === undefined ? messages : messages.slice(0, messages.indexOf(turn.message));
    const said: Message[] = [];
    const attempt: CodeAttempt = { keep: keeper(before, said), wrapModel };
    const tool = codeTool(options, before, attempt);
    let call: ToolCall | undefined = turn?.calls[0]?.call;
    let state: CallState | undefined;
    if (turn === undefined) {
      call = { id: run.newId(), type: 'function', function: { name: tool.name, arguments: '{}' } };
      run.checkpoints?.turnBegun({ id: run.newId(), role: 'assistant', toolCalls: [call] });
      state = await executeCall({ tool, toolCallId: call.id, input: {} }, run);
    } else {
      const replies: readonly (Reply | ResumeEntry)[] = start.replies ?? [];
      const settings = { ...NO_MODEL, tools: new Map([[tool.name, tool]]) };
      const resumed = await resumeTurn(turn, { replies, after: [], recovery }, { settings, run });
      state = resumed.calls[0]?.state;
    }
    if (call === undefined || state === undefined)
      throw new HoldpointError('INTERNAL', 'The agent did not run.');
    // New messages follow the answers.
    const added = resumes ? start.newMessages : [];
    return toResult({ before: [...before, ...added, ...said], call, state }, run);
  };
}

/** Adds messages to a conversation that does not have them yet. */
function keeper(before: readonly Message[], said: Message[]): (message: Message) => void {
  const known = new Set(before.map(({ id }) => id));
  return (message) => {
    if (known.has(message.id)) return;
    known.add(message.id);
    said.push(message);
  };
}

function toResult(
  { before, call, state }: { before: readonly Message[]; call: ToolCall; state: CallState },
  run: RunContext,
): LoopResult {
  const ended = { interrupts: [], pendingToolCallIds: [], usage: [] };
  if (state.status === 'waiting') {
    const message: Message = { id: run.newId(), role: 'assistant', toolCalls: [withCallState(call, state)] };
    const messages = [...before, withTurnState(message, { turns: 0 })];
    const turn = openTurn(messages);
    const interrupts = turn === undefined ? [] : openParts(turn);
    return { ...ended, finishReason: 'interrupted', messages, text: '', interrupts, result: undefined };
  }
  if (state.aborted === true) {
    return { ...ended, finishReason: 'cancelled', messages: before, text: '', result: undefined };
  }
  if (typeof state.output !== 'string') {
    const text = lastText(before);
    return { ...ended, finishReason: 'stop', messages: before, text, result: state.output };
  }
  const message = sayNow(state.output, run);
  return {
    ...ended,
    finishReason: 'stop',
    messages: [...before, message],
    text: state.output,
    result: undefined,
  };
}

function codeTool(
  { id, run }: CodeAgentOptions & { readonly id: string },
  messages: readonly Message[],
  attempt: CodeAttempt,
): Tool {
  return {
    ...TOOL_DEFAULTS,
    name: codeCallName(id),
    description: '',
    kind: 'function',
    hidden: true,
    input: {},
    inputSchema: {},
    run: async (_input, context) =>
      run({ messages, text: userText(messages) }, codeContext(context, attempt)),
  };
}

function userText(messages: readonly Message[]): string {
  const message = messages.findLast(({ role }) => role === 'user');
  return message?.role === 'user' && typeof message.content === 'string' ? message.content : '';
}

function lastText(messages: readonly Message[]): string {
  const message = messages.findLast(({ role }) => role === 'assistant');
  return message?.role === 'assistant' ? (message.content ?? '') : '';
}
