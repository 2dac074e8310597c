import type { Message, Tool as ClientTool } from '../../protocol/index.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { PausingContext } from '../tools/tool-context.ts';
import type { Tool } from '../tools/tool.ts';
import type { ChatModel, ModelPart, ModelRequest, ModelSettings } from './chat-model.ts';

/** Adds context, instructions or tools before a model call. */
export type ContextProvider = (call: {
  readonly messages: readonly Message[];
  readonly run: RunContext;
}) => Promise<ProvidedContext | undefined> | ProvidedContext | undefined;

export interface ProvidedContext {
  readonly instructions?: string;
  /** Put before the conversation; not stored. */
  readonly messages?: readonly Message[];
  readonly tools?: readonly Tool[];
}

/**
 * Runs around a model call. It may ask a person with `context.ask` before it calls `next`: the run pauses, and the
 * middleware runs again with the answer.
 */
export type ModelMiddleware = (
  request: ModelRequest,
  next: (request?: ModelRequest) => AsyncIterable<ModelPart>,
  context: PausingContext,
) => AsyncIterable<ModelPart>;

/** The settings of an agent for the loop. */
export interface LoopSettings {
  readonly model: ChatModel;
  readonly instructions: string | undefined;
  readonly tools: ReadonlyMap<string, Tool>;
  /** Tools that the caller runs itself. */
  readonly clientTools: readonly ClientTool[];
  readonly requireApproval: boolean;
  readonly maxTurns: number;
  readonly settings: ModelSettings;
  readonly contextProviders: readonly ContextProvider[];
  readonly modelMiddleware: readonly ModelMiddleware[];
}

/**
 * Middleware for long conversations: the model gets only the last `count` messages, starting with a user message, so
 * that no result is without its call. System and developer messages stay. The stored conversation is complete.
 *
 * @example
 * ```ts
 * import { defineAgent, recentMessages } from 'holdpoint';
 * import { scriptedModel } from 'holdpoint/testing';
 *
 * const clerk = defineAgent({
 *   id: 'clerk',
 *   model: scriptedModel(['Done.']),
 *   middleware: { model: [recentMessages(40)] },
 * });
 * ```
 */
export function recentMessages(count: number): ModelMiddleware {
  return async function* recent(request, next) {
    yield* next({ ...request, messages: recentOf(request.messages, count) });
  };
}

function recentOf(messages: readonly Message[], count: number): readonly Message[] {
  if (messages.length <= count) return messages;
  const from = messages.findIndex(({ role }, index) => role === 'user' && index >= messages.length - count);
  // One long turn is not cut; the model needs its start.
  const start = from === -1 ? messages.findLastIndex(({ role }) => role === 'user') : from;
  const rules = messages
    .slice(0, Math.max(0, start))
    .filter(({ role }) => role === 'system' || role === 'developer');
  return [...rules, ...messages.slice(Math.max(0, start))];
}
