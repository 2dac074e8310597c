import {
  aboveZero,
  callback,
  checkOptions,
  each,
  expecting,
  filledText,
  isRecord,
  members,
  oneOf,
  optional,
  record,
  text,
} from '../../core/index.ts';
import type { ToolMiddleware } from '../calls/run-context.ts';
import type { ContextProvider, ModelMiddleware } from '../loop/loop-settings.ts';
import { runLoop } from '../loop/run-loop.ts';
import type { ChatModel, ModelSettings } from '../loop/chat-model.ts';
import type { Policy } from '../tools/policy.ts';
import { optionsOf } from '../tools/check-options.ts';
import type { Tool } from '../tools/tool.ts';
import type { AgentIdentity, GenerateOptions, GeneratingAgent } from './agent.ts';
import type { GenerateHook } from './assemble-agent.ts';
import { assembleAgent } from './assemble-agent.ts';
import type { CodeAgentOptions } from './code-agent.ts';
import { codeAgentRunner } from './code-agent.ts';
import type { LoopRunner } from '../loop/run-loop.ts';
import { toolMap } from '../tools/tool.ts';

/** An agent that a model drives. */
export interface ModelAgentOptions extends AgentIdentity {
  /** The model that drives the agent. */
  readonly model: ChatModel;
  /** The system message of every model call. Default: none. */
  readonly instructions?: string;
  /** The tools that the model may call. Default: none. */
  readonly tools?: readonly Tool[];
  /** `require`: every call needs an approval, unless its tool has `approval: false`. Default: as the tools say. */
  readonly approval?: 'require';
  /** Rules for the calls of this agent; the strictest rule counts. Default: none. */
  readonly policies?: readonly Policy[];
  /** The maximum number of model calls in a run. Default 10. */
  readonly maxTurns?: number;
  /** The settings of every model call, such as the temperature. Default: those of the model. */
  readonly settings?: ModelSettings;
  /** Add facts to every model call. Default: none. */
  readonly contextProviders?: readonly ContextProvider[];
  /** Wraps the calls of the model and of tools. Default: none. */
  readonly middleware?: {
    readonly model?: readonly ModelMiddleware[];
    readonly tool?: readonly ToolMiddleware[];
  };
}

/** The options of an agent: a model with tools, or plain code with `run`. */
export type AgentOptions = ModelAgentOptions | (AgentIdentity & CodeAgentOptions);

const identityChecks = {
  id: filledText,
  name: optional(text),
  description: optional(text),
  metadata: optional(record),
  dialect: optional(filledText),
} as const;

const codeAgentOptions = members<AgentIdentity & CodeAgentOptions>({ ...identityChecks, run: callback });

const modelAgentOptions = members<ModelAgentOptions>({
  ...identityChecks,
  model: expecting(
    'a model with a function stream(request), such as fromAiSdk(model) returns',
    (value) => isRecord(value) && typeof value['stream'] === 'function',
  ),
  instructions: optional(text),
  tools: optional(
    each(
      expecting(
        'a tool that defineTool, defineInterrupt, defineExit or agentTool returns',
        (value) => isRecord(value) && typeof value['name'] === 'string' && isRecord(value['inputSchema']),
      ),
    ),
  ),
  approval: optional(oneOf('require')),
  policies: optional(each(callback)),
  maxTurns: optional(aboveZero),
  settings: optional(record),
  contextProviders: optional(each(callback)),
  middleware: optional(
    members<NonNullable<ModelAgentOptions['middleware']>>({
      model: optional(each(callback)),
      tool: optional(each(callback)),
    }),
  ),
});

/**
 * Makes an agent without durability; `hook` adds it. Throws `INPUT_INVALID` for an option that does not fit, and for two tools of
 * one name.
 */
export function defineAgent<Options extends GenerateOptions = GenerateOptions>(
  options: AgentOptions,
  hook?: GenerateHook<Options>,
): GeneratingAgent<Options> {
  const isCode = isRecord(options) && 'run' in options;
  checkOptions(optionsOf('agent', options), options, isCode ? codeAgentOptions : modelAgentOptions);
  const hooked = hook === undefined ? {} : { hook };
  if ('run' in options) {
    return assembleAgent({
      ...options,
      ...hooked,
      kind: 'code',
      tools: [],
      policies: [],
      toolMiddleware: [],
      runner: codeAgentRunner(options),
    });
  }
  const tools = toolMap(options.tools ?? []);
  const runner: LoopRunner = (start, { clientTools, maxTurns, wrapModel }, run) =>
    runLoop(
      start,
      {
        model: wrapModel?.(options.model) ?? options.model,
        instructions: options.instructions,
        tools,
        clientTools,
        requireApproval: options.approval === 'require',
        maxTurns: maxTurns ?? options.maxTurns ?? 10,
        settings: options.settings ?? {},
        contextProviders: options.contextProviders ?? [],
        modelMiddleware: options.middleware?.model ?? [],
      },
      run,
    );
  return assembleAgent({
    ...options,
    ...hooked,
    kind: 'model',
    tools: [...tools.values()],
    policies: options.policies ?? [],
    toolMiddleware: options.middleware?.tool ?? [],
    runner,
  });
}
