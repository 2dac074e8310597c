import type { IdGenerator } from '../../core/index.ts';
import { newId, publicError, systemClock } from '../../core/index.ts';
import type { AgentStreamEvent, Emitter, OpenStream, SubagentEmitter } from '../../protocol/index.ts';
import { createEmitter, patchJson } from '../../protocol/index.ts';
import type { RunContext, ToolMiddleware } from '../calls/run-context.ts';
import { NEVER } from '../calls/run-context.ts';
import type { Policy } from '../tools/policy.ts';
import type { AgentContext, DurableContext } from './agent.ts';

export interface RunParts {
  readonly run: RunContext;
  /** Ends the run; `run.emitter` says what happens in it. */
  readonly emitter: Emitter;
}

/** Puts together what one run shares, from what the caller gave; without `write`, nobody watches it. */
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
    answeredBy: answeredBy(context),
    checkpoints: context.checkpoints,
    secrets: context.secrets,
    questionTtlMs: context.questionTtlMs,
    signal: context.signal ?? NEVER,
    emitter,
    newId: ids,
    clock: context.clock ?? systemClock,
    mode: context.mode ?? 'interactive',
    policies: given.policies,
    grants: context.grants,
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

/** What a failure may say on the wire: our own sentences, and nothing of anyone else's. */
export function wireError(error: unknown): { readonly message: string; readonly code: string } {
  const { message, code } = publicError(error, 'The run failed.');
  return { message, code };
}

/** For runs that nobody watches: it gives ids and says nothing. */
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
