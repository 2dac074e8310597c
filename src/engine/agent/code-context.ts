import { HoldpointError } from '../../core/index.ts';
import type { Message } from '../../protocol/index.ts';
import { checkpointsWithin, stepExecution } from '../calls/checkpoints.ts';
import { internalsOf } from '../calls/pausing-context.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { LoopSettings } from '../loop/loop-settings.ts';
import { runLoop } from '../loop/run-loop.ts';
import type { ChatModel } from '../loop/chat-model.ts';
import type { PausingContext, ToolContext } from '../tools/tool-context.ts';
import type { Tool } from '../tools/tool.ts';
import { toolMap } from '../tools/tool.ts';

/** Options of a model call in plain code. */
export interface CodeGenerateOptions {
  readonly model: ChatModel;
  readonly prompt?: string;
  readonly messages?: readonly Message[];
  readonly instructions?: string;
  readonly tools?: readonly Tool[];
  readonly approval?: 'require';
  readonly maxTurns?: number;
}

/** The context of an agent in plain code. */
export interface CodeAgentContext extends PausingContext {
  /** Sends a message of the agent, once; a rerun does not repeat it. */
  say(text: string): Promise<void>;
  /** Runs a model; its interrupts become those of this agent, and its result is stored. */
  generate(options: CodeGenerateOptions): Promise<{ readonly text: string; readonly result: unknown }>;
}

/** The result of one run of the code besides its output. */
export interface CodeAttempt {
  readonly wrapModel: (model: ChatModel) => ChatModel;
  /** Adds a message to the conversation, unless an earlier run has added it. */
  keep(message: Message): void;
}

/** The context of a hidden call, in the form for code. */
export function codeContext(context: ToolContext, attempt: CodeAttempt): CodeAgentContext {
  const { run, journal } = internalsOf(context);
  const { signal, files, emit, threadId, runId, principal } = context;
  return {
    ask: (name, options) => context.ask(name, options),
    step: (name, body, options) => context.step(name, body, options),
    signal,
    files,
    emit,
    threadId,
    runId,
    principal,
    get state() {
      return context.state;
    },
    async say(text) {
      const said = await context.step('say', () => sayNow(text, run), { idempotent: true });
      attempt.keep(said);
    },
    async generate(options) {
      const value = await journal.delegate('generate', async (pending, answers, key) => {
        const replies = [...answers].map(([interruptId, { value: payload, cancelled, responds }]) => {
          if (cancelled === true) return { interruptId, status: 'cancelled' as const };
          const entry = { interruptId, status: 'resolved' as const, payload };
          return responds === true ? { ...entry, method: 'respond' as const } : entry;
        });
        const { prompt } = options;
        const begin: Message[] =
          prompt === undefined ? [] : [{ id: run.newId(), role: 'user', content: prompt }];
        const given = [...(options.messages ?? []), ...begin];
        const waited = Array.isArray(pending);
        const loop = await runLoop(
          // The delegate stored this value when it began to wait.
          {
            messages: waited ? (pending as Message[]) : given,
            replies: waited ? replies : undefined,
            newMessages: [],
          },
          { ...settingsOf(options), model: attempt.wrapModel(options.model) },
          within(run, stepExecution(context.toolCallId, key)),
        );
        if (loop.finishReason === 'interrupted') {
          const asks = loop.interrupts.map((part) => ({ id: part.interrupt.id, ask: { part } }));
          return { status: 'waiting', pending: loop.messages, asks };
        }
        return { status: 'done', value: { text: loop.text, result: loop.result ?? null } };
      });
      // Stored by this function.
      return value as { readonly text: string; readonly result: unknown };
    },
  };
}

/** The context of a loop inside a call. */
function within(run: RunContext, key: string): RunContext {
  const { checkpoints } = run;
  return checkpoints === undefined ? run : { ...run, checkpoints: checkpointsWithin(checkpoints, key) };
}

/** The settings of a loop that resumes code; it never calls a model. */
export const NO_MODEL: Omit<LoopSettings, 'tools'> = {
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

/** Emits a message of the agent now. */
export function sayNow(text: string, run: RunContext): Message {
  const message = run.emitter.text();
  message.delta(text);
  message.end();
  return { id: message.id, role: 'assistant', content: text };
}
