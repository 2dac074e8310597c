import type { Cancellation } from '../../content/interrupts/index.ts';
import type { IdGenerator } from '../../core/index.ts';
import {
  HoldpointError,
  isRecord,
  kindOf,
  newId,
  publicError,
  systemClock,
  toList,
} from '../../core/index.ts';
import type {
  AgentStreamEvent,
  Emitter,
  Message,
  OpenStream,
  ResumeEntry,
  RunAgentInput,
  SubagentEmitter,
} from '../../protocol/index.ts';
import { createEmitter, patchJson } from '../../protocol/index.ts';
import { withoutState } from '../calls/call-state.ts';
import type { RunContext, ToolMiddleware } from '../calls/run-context.ts';
import { openTurn } from '../loop/open-turn.ts';
import type { LoopStart } from '../loop/run-loop.ts';
import type { Policy } from '../tools/policy.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { AgentContext, DurableContext, GenerateOptions } from './agent.ts';

export interface RunParts {
  readonly run: RunContext;
  /** Emits the end of the run; `run.emitter` emits the events before it. */
  readonly emitter: Emitter;
}

/** Creates the context of a run; without `write`, the run has no reader. */
export function createRun(
  given: {
    readonly agentId: string;
    readonly threadId: string;
    readonly runId: string;
    readonly state: unknown;
    readonly policies: readonly Policy[];
    readonly toolMiddleware: readonly ToolMiddleware[];
    readonly context: DurableContext;
  },
  write: ((event: AgentStreamEvent) => void) | undefined,
): RunParts {
  const { threadId, runId, context } = given;
  const ids = context.newId ?? newId;
  const emitter =
    write === undefined ? silentEmitter(ids) : createEmitter({ threadId, runId, write, newId: ids });
  let state = given.state;
  const run: RunContext = {
    agentId: context.agentId ?? given.agentId,
    threadId,
    runId,
    principal: context.principal,
    askers: context.askers ?? (context.principal === undefined ? [] : [context.principal.id]),
    answeredBy: answeredBy(context),
    isWithdrawn: context.isWithdrawn ?? (() => false),
    checkpoints: context.checkpoints,
    secrets: context.secrets,
    interruptTtlMs: context.interruptTtlMs,
    signal: context.signal ?? new AbortController().signal,
    emitter,
    newId: ids,
    clock: context.clock ?? systemClock,
    mode: context.mode ?? 'interactive',
    policies: given.policies,
    grants: context.grants,
    files: context.files,
    toolMiddleware: given.toolMiddleware,
    state: {
      get value() {
        return state;
      },
      patch(patch) {
        state = patchJson(state, patch);
      },
    },
    warn: context.onWarning ?? (() => undefined),
  };
  return { run, emitter };
}

function answeredBy({ answeredBy: who }: AgentContext): RunContext['answeredBy'] {
  return typeof who === 'function' ? who : () => who;
}

/** How an interrupt of this run was cancelled, for an agent that keeps its own checkpoint. */
export function cancellationOf({ interruptId, metadata }: ResumeEntry, context: AgentContext): Cancellation {
  const reason: unknown = metadata?.['reason'];
  return {
    by: answeredBy(context)(interruptId),
    isWithdrawn: context.isWithdrawn?.(interruptId) === true,
    reason: typeof reason === 'string' ? reason : undefined,
  };
}

/** The error on the wire: messages of our own errors, never those of others. */
export function wireError(error: unknown): { readonly message: string; readonly code: string } {
  const { message, code } = publicError(error, 'The run failed.');
  return { message, code };
}

/** An emitter for runs without a reader: it creates ids and emits nothing. */
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

/** One run of an agent: where the loop starts, and its surroundings. */
export interface RunStart {
  readonly start: LoopStart;
  readonly clientTools: RunAgentInput['tools'];
  readonly maxTurns: number | undefined;
  readonly threadId: string;
  readonly runId: string;
  readonly state: unknown;
  readonly context: DurableContext;
}

/** The start of a run from the options of `generate`. */
export function fromOptions(options: GenerateOptions): RunStart {
  const { clientTools, maxTurns, threadId, runId, state, ...context } = options;
  const ids = options.newId ?? newId;
  return {
    start: startOf(options, ids),
    clientTools: [...(clientTools ?? [])],
    maxTurns,
    threadId: threadId ?? ids(),
    runId: runId ?? ids(),
    state: state ?? {},
    context,
  };
}

/** The start of a run from an input. Messages after the waiting turn are new; a tool message there answers a call of the client. */
export function fromInput(input: RunAgentInput, context: DurableContext): RunStart {
  const { resume } = input;
  const messages = context.history ?? input.messages.map(withoutState);
  const { recovery } = context;
  const resumes = (resume !== undefined && resume.length > 0) || recovery !== undefined;
  const turn = resumes ? openTurn(messages, { unfinished: recovery !== undefined }) : undefined;
  const index = turn === undefined ? -1 : messages.indexOf(turn.message);
  const after = index === -1 ? [] : messages.slice(index + 1);
  const isNew = (message: Message) => message.role !== 'tool';
  const start: LoopStart = !resumes
    ? { messages, replies: undefined, newMessages: [] }
    : {
        messages: messages.filter((message) => !after.includes(message) || !isNew(message)),
        replies: resume ?? [],
        newMessages: after.filter(isNew),
        recovery,
      };
  const { threadId, runId, tools } = input;
  return {
    start,
    clientTools: tools,
    maxTurns: undefined,
    threadId,
    runId,
    state: input.state ?? {},
    context,
  };
}

/** The start of `generate`. Does not change the arrays of the caller. */
function startOf(options: GenerateOptions, newId: IdGenerator): LoopStart {
  const { prompt, messages = [], resume } = options;
  if (!Array.isArray(messages)) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `\`messages\` is a list: write \`messages: [message]\`, not ${kindOf(messages)}.`,
    );
  }
  if (prompt === undefined && messages.length === 0) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'There is nothing to generate from: give a prompt or messages.',
    );
  }
  const newMessages: Message[] = prompt === undefined ? [] : [promptMessage(newId(), prompt)];
  return { messages, replies: repliesOf(resume), newMessages };
}

/** The user message of a prompt. */
export function promptMessage(id: string, prompt: NonNullable<GenerateOptions['prompt']>): Message {
  return { id, role: 'user', content: typeof prompt === 'string' ? prompt : [...prompt] };
}

/** The answers, from any of their forms. */
export function repliesOf(resume: GenerateOptions['resume']): readonly (Reply | ResumeEntry)[] | undefined {
  if (resume === undefined) return undefined;
  const replies =
    isRecord(resume) && !('interruptId' in resume)
      ? [resume.respond ?? [], resume.restart ?? [], resume.answer ?? []].flatMap((some) => toList(some))
      : toList(resume);
  for (const reply of replies) {
    if (isRecord(reply) && typeof reply['interruptId'] === 'string') continue;
    throw new HoldpointError(
      'INPUT_INVALID',
      `Make an answer with tool.respond(part, …), tool.restart(part, …), tool.answer(part, …) or approve(part), not ${kindOf(reply)}.`,
    );
  }
  return replies;
}
