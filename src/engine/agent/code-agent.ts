import { HoldpointError } from '../../core/index.ts';
import type { Message, ResumeEntry, ToolCall } from '../../protocol/index.ts';
import type { CallState } from '../calls/call-state.ts';
import { withCallState, withTurnState } from '../calls/call-state.ts';
import { executeCall } from '../calls/execute-call.ts';
import { internalsOf } from '../calls/context-internals.ts';
import type { RunContext } from '../calls/run-context.ts';
import { isSuspension } from '../journal/suspension.ts';
import type { LoopSettings } from '../loop/loop-settings.ts';
import { assertNothingOpen, openQuestions, openTurn } from '../loop/open-turn.ts';
import { resumeTurn } from '../loop/resume-turn.ts';
import type { LoopResult } from '../loop/run-loop.ts';
import { runLoop } from '../loop/run-loop.ts';
import type { ChatModel } from '../model/chat-model.ts';
import type { PausingContext, ToolContext } from '../tools/tool-context.ts';
import type { Tool } from '../tools/tool.ts';
import { TOOL_DEFAULTS } from '../tools/tool-defaults.ts';
import { codeCallName } from './code-call.ts';
import type { LoopRunner } from './loop-runner.ts';
import { toolMap } from './tool-map.ts';

/** What agents written as code start from. */
export interface CodeAgentInput {
  readonly messages: readonly Message[];
  /** The text of the newest user message; empty when there is none. */
  readonly text: string;
}

/** A model's part in the work of an agent that is code. */
export interface CodeGenerateOptions {
  readonly model: ChatModel;
  readonly prompt?: string;
  readonly messages?: readonly Message[];
  readonly instructions?: string;
  readonly tools?: readonly Tool[];
  readonly approval?: 'require';
  readonly maxTurns?: number;
}

export interface CodeAgentContext extends PausingContext {
  /** Says something, as the agent. Once: it is not said again when the code runs again. */
  say(text: string): Promise<void>;
  /** Lets a model work; what it asks is asked as this agent's question, and its result is kept. */
  generate(options: CodeGenerateOptions): Promise<{ readonly text: string; readonly result: unknown }>;
}

export interface CodeAgentOptions {
  /** Runs from the top each time; what is in `step`, `ask`, `say` and `generate` happens once. */
  readonly run: (input: CodeAgentInput, context: CodeAgentContext) => unknown;
}

/** Runs plain code as an agent: a call that nobody sees, with its journal. */
export function codeAgentRunner(options: CodeAgentOptions & { readonly id: string }): LoopRunner {
  return async (start, { wrapModel = (model) => model }, run) => {
    const attempt: Attempt = { said: [], failure: undefined, wrapModel };
    const resumes = start.replies !== undefined;
    const messages = resumes ? [...start.messages] : [...start.messages, ...start.newMessages];
    if (!resumes) assertNothingOpen(messages);
    const turn = resumes ? openTurn(messages) : undefined;
    if (resumes && turn === undefined) {
      throw new HoldpointError('INPUT_INVALID', 'There is nothing to resume: the agent does not wait.');
    }
    const before = turn === undefined ? messages : messages.slice(0, messages.indexOf(turn.message));
    const tool = codeTool(options, before, attempt);
    let call: ToolCall | undefined = turn?.calls[0]?.call;
    let state: CallState | undefined;
    if (turn === undefined) {
      call = { id: run.newId(), type: 'function', function: { name: tool.name, arguments: '{}' } };
      state = await executeCall({ tool, toolCallId: call.id, input: {} }, run);
    } else {
      const replies: readonly ResumeEntry[] = start.replies ?? [];
      const settings = { ...NO_MODEL, tools: new Map([[tool.name, tool]]) };
      const resumed = await resumeTurn(turn, { replies, after: [] }, { settings, run });
      state = resumed.calls[0]?.state;
    }
    if (attempt.failure !== undefined) throw attempt.failure.error;
    if (call === undefined || state === undefined)
      throw new HoldpointError('INTERNAL', 'The agent did not run.');
    return toResult({ before: [...before, ...attempt.said], call, state }, run);
  };
}

interface Attempt {
  readonly wrapModel: (model: ChatModel) => ChatModel;
  readonly said: Message[];
  failure: { readonly error: unknown } | undefined;
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
    const interrupts = turn === undefined ? [] : openQuestions(turn);
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
  attempt: Attempt,
): Tool {
  return {
    ...TOOL_DEFAULTS,
    name: codeCallName(id),
    description: '',
    kind: 'function',
    hidden: true,
    input: {},
    inputSchema: {},
    async run(_input, context) {
      try {
        return await run({ messages, text: userText(messages) }, codeContext(context, attempt));
      } catch (error) {
        if (!isSuspension(error) && !HoldpointError.is(error, 'ANSWER_CANCELLED'))
          attempt.failure = { error };
        throw error;
      }
    },
  };
}

function codeContext(context: ToolContext, attempt: Attempt): CodeAgentContext {
  const { run, journal } = internalsOf(context);
  const { signal, emit, threadId, runId, principal } = context;
  return {
    ask: (name, options) => context.ask(name, options),
    step: (name, body) => context.step(name, body),
    signal,
    emit,
    threadId,
    runId,
    principal,
    get state() {
      return context.state;
    },
    async say(text) {
      await context.step('say', () => {
        attempt.said.push(sayNow(text, run));
        return null;
      });
    },
    async generate(options) {
      const value = await journal.delegate('generate', async (pending, answers) => {
        const replies = [...answers].map(([interruptId, { value: payload, cancelled }]): ResumeEntry =>
          cancelled === true
            ? { interruptId, status: 'cancelled' }
            : { interruptId, status: 'resolved', payload },
        );
        const { prompt } = options;
        const begin: Message[] =
          prompt === undefined ? [] : [{ id: run.newId(), role: 'user', content: prompt }];
        const given = [...(options.messages ?? []), ...begin];
        const waited = Array.isArray(pending);
        const loop = await runLoop(
          // What it left is what it gave when it began to wait.
          {
            messages: waited ? (pending as Message[]) : given,
            replies: waited ? replies : undefined,
            newMessages: [],
          },
          { ...settingsOf(options), model: attempt.wrapModel(options.model) },
          run,
        );
        if (loop.finishReason === 'interrupted') {
          const questions = loop.interrupts.map((part) => ({ id: part.interrupt.id, question: { part } }));
          return { status: 'waiting', pending: loop.messages, questions };
        }
        return { status: 'done', value: { text: loop.text, result: loop.result ?? null } };
      });
      // Kept by this very function.
      return value as { readonly text: string; readonly result: unknown };
    },
  };
}

/** The settings of a loop that resumes code: it never calls a model. */
const NO_MODEL: Omit<LoopSettings, 'tools'> = {
  model: {
    stream() {
      throw new HoldpointError('INTERNAL', 'This agent has no model.');
    },
  },
  instructions: undefined,
  clientTools: [],
  requireApproval: false,
  maxTurns: 1,
  settings: {},
  contextProviders: [],
  modelMiddleware: [],
};

function settingsOf(options: CodeGenerateOptions): LoopSettings {
  return {
    ...NO_MODEL,
    model: options.model,
    instructions: options.instructions,
    tools: toolMap(options.tools ?? []),
    requireApproval: options.approval === 'require',
    maxTurns: options.maxTurns ?? 10,
  };
}

function sayNow(text: string, run: RunContext): Message {
  const message = run.emitter.text();
  message.delta(text);
  message.end();
  return { id: message.id, role: 'assistant', content: text };
}

function userText(messages: readonly Message[]): string {
  const message = messages.findLast(({ role }) => role === 'user');
  return message?.role === 'user' && typeof message.content === 'string' ? message.content : '';
}

function lastText(messages: readonly Message[]): string {
  const message = messages.findLast(({ role }) => role === 'assistant');
  return message?.role === 'assistant' ? (message.content ?? '') : '';
}
