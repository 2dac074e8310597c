import type { AnswerForm, InterruptKind } from '../../content/interrupts/index.ts';
import {
  approvalResponseSchema,
  INTERRUPT_KINDS,
  recoveryResponseSchema,
} from '../../content/interrupts/index.ts';
import type { ErrorCode } from '../../core/index.ts';
import { defined, isRecord } from '../../core/index.ts';
import type { JsonSchema, SchemaLike } from '../../core/schema/index.ts';
import { hasSecrets, toJsonSchema } from '../../core/schema/index.ts';
import type { Interrupt, Metadata } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import type { ApprovalOptions } from '../tools/approval.ts';
import type { AskOptions, InterruptOptions } from '../tools/tool-context.ts';
import type { InterruptRules } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import { displayedValue, outputSchema } from '../tools/tool.ts';
import type { CallGuard, CallToRun, PendingInterrupt } from './call-state.ts';
import { isRememberable } from './decide-call.ts';
import type { RunContext } from './run-context.ts';
import { typedInput } from './shown-arguments.ts';

/** The call of an interrupt, with the arguments that people see. */
export type AskingCall = Pick<
  CallToRun,
  'tool' | 'toolCallId' | 'input' | 'originalInput' | 'checked' | 'schemaEffect'
>;

/** The problem with a call, and the possible actions. */
export interface Trouble {
  readonly message: string;
  readonly actions: readonly string[];
  readonly code: ErrorCode;
  /** The step of the body that is in doubt, if only that step is. */
  readonly stepKey?: string;
}

/** The interrupt that asks for an approval of a call. */
export async function approvalInterrupt(
  call: AskingCall,
  asked: { readonly options: ApprovalOptions<unknown>; readonly heldByPolicy: boolean },
  run: RunContext,
): Promise<Interrupt> {
  const { tool, toolCallId, input, schemaEffect } = call;
  const { options, heldByPolicy } = asked;
  const typed = typedInput(call, run);
  const title = tool.title(typed);
  const display = displayedValue(tool.display.input, typed);
  const description = textOf(options.description, typed);
  const reason = heldByPolicy ? InterruptReason.PolicyHold : INTERRUPT_KINDS.approval.reason;
  return {
    id: run.newId(),
    reason: options.reason ?? reason,
    message:
      textOf(options.message, typed) ?? (title === undefined ? `May ${tool.name} go ahead?` : `${title}?`),
    toolCallId,
    responseSchema: approvalResponseSchema({
      editedArgs: options.editable === true ? tool.inputSchema : undefined,
      extras: options.response,
      confirmation: options.confirmation,
      remember: rememberOffer(call, asked, run),
      // The shown arguments are not those that run.
      rememberArguments: schemaEffect?.converted !== true,
    }),
    ...expiry(options, run),
    metadata: {
      functionName: tool.name,
      functionArguments: input,
      ...defined({ title, description, display }),
      ...(tool.destructive ? { destructive: true } : {}),
      ...defined({ confirmation: options.confirmation }),
      ...(options.requireReason === true ? { requireReason: true } : {}),
      ...(typeof options.metadata === 'function' ? await options.metadata(typed) : options.metadata),
      ...defined({ schemaEffect }),
    },
  };
}

/** Grants are offered only where they are kept. */
function rememberOffer(
  call: AskingCall,
  asked: { readonly options: ApprovalOptions<unknown>; readonly heldByPolicy: boolean },
  run: RunContext,
): boolean | 'total' {
  if (run.grants === undefined || !isRememberable(call, asked)) return false;
  return typeof asked.options.remember === 'object' ? 'total' : true;
}

/** The interrupt that asks for the output of a call. */
export async function respondInterrupt(call: AskingCall, run: RunContext): Promise<Interrupt> {
  const { tool, toolCallId } = call;
  const typed = typedInput(call, run);
  const { message, metadata } = await tool.requestMetadata(typed);
  return makeInterrupt('respond', {
    run,
    toolCallId,
    schema: outputSchema(tool, typed),
    options: defined({ message, expiresInMs: tool.interruptOptions?.expiresInMs }),
    metadata: { ...aboutCall(call, run), ...metadata },
  });
}

/** The interrupt of `ctx.interrupt`. It asks for the value that the body runs again with, or for the output of the call. */
export function restartInterrupt(call: AskingCall, options: InterruptOptions, run: RunContext): Interrupt {
  const { tool, toolCallId, input } = call;
  const output = outputSchema(tool, input);
  const outputJson = output === undefined ? undefined : jsonSchemaOf(output);
  const [first, ...others] = answerForms(tool, options, outputJson);
  const isOutput = first === 'output';
  const metadata = {
    ...aboutCall(call, run),
    ...options.metadata,
    answerAs: [first, ...others],
    ...defined({ outputSchema: others.length > 0 ? outputJson : undefined }),
  };
  const schema = options.schema ?? (isOutput ? outputJson : tool.resume);
  const reason = options.reason ?? INTERRUPT_KINDS[isOutput ? 'respond' : 'restart'].reason;
  return makeInterrupt('restart', { run, toolCallId, schema, options: { ...options, reason }, metadata });
}

/** The forms that an answer to `ctx.interrupt` may have, its default first. */
function answerForms(
  { resume, output }: Tool,
  { schema }: InterruptOptions,
  outputJson: Record<string, unknown> | undefined,
): readonly [AnswerForm, ...AnswerForm[]] {
  if (resume === undefined) return (schema ?? output) === undefined ? ['resume', 'output'] : ['output'];
  // The model reads outputs, so a person never gives one with secrets.
  return output === undefined || hasSecrets(outputJson) ? ['resume'] : ['resume', 'output'];
}

/** The JSON Schema of an output; undefined for a schema that has none, which is checked when the output comes. */
function jsonSchemaOf(output: SchemaLike): Record<string, unknown> | undefined {
  try {
    return objectSchema(toJsonSchema(output));
  } catch {
    return undefined;
  }
}

/** The interrupt of an `ask`. `about`: the call of the body; absent for plain code. */
export function askInterrupt(
  ask: { readonly name: string; readonly options: AskOptions },
  about: AskingCall | undefined,
  run: RunContext,
): Interrupt {
  const { name, options } = ask;
  const { pages, optional } = options;
  const metadata = {
    ...(about && aboutCall(about, run)),
    ask: name,
    ...defined({ pages }),
    ...(optional === true ? { optional } : {}),
    ...options.metadata,
  };
  const interrupt = makeInterrupt('ask', {
    run,
    toolCallId: about?.toolCallId,
    schema: options.schema,
    options,
    metadata,
  });
  if (optional !== true || interrupt.responseSchema === undefined) return interrupt;
  return { ...interrupt, responseSchema: { anyOf: [interrupt.responseSchema, { type: 'null' }] } };
}

/**
 * The interrupt for a call that failed, is in doubt or no longer fits its journal. It does not expire. The approvers
 * of the call may answer it. It offers other arguments only if no person has approved these.
 */
export function recoveryInterrupt(
  call: AskingCall & { readonly guard?: CallGuard | undefined },
  trouble: Trouble,
  run: RunContext,
): PendingInterrupt {
  const { tool, toolCallId, guard } = call;
  const { stepKey, actions, message } = trouble;
  // Without a key for secrets, the call can still be tried again unchanged.
  const canKeep = run.secrets?.canKeep !== false || !hasSecrets(tool.inputSchema);
  const isFixed = guard?.fixed === true || stepKey !== undefined || tool.hidden === true;
  const mayEdit = canKeep && !isFixed && actions.includes('retry');
  const interrupt: Interrupt = {
    id: run.newId(),
    reason: INTERRUPT_KINDS.recovery.reason,
    message,
    ...(tool.hidden === true ? {} : { toolCallId }),
    responseSchema: recoveryResponseSchema({
      actions,
      editedArgs: mayEdit ? tool.inputSchema : undefined,
    }),
    metadata: { ...(tool.hidden === true ? {} : aboutCall(call, run)), code: trouble.code },
  };
  return {
    kind: 'recovery',
    interrupt,
    ...defined({ stepKey }),
    ...interruptRules(guard?.approvers === undefined ? {} : { approvers: guard.approvers }),
  };
}

/** A call in a sentence for people: its title, such as "Send $5 to ABC", else the name of its tool. */
export function callName(call: AskingCall, run: RunContext): string {
  const { tool } = call;
  return tool.hidden === true ? 'The agent' : (titleOf(call, run) ?? tool.name);
}

/** The tool's title for a call; undefined if the tool has no title for these arguments. */
export function titleOf(call: AskingCall, run: RunContext): string | undefined {
  try {
    return call.tool.title(typedInput(call, run));
  } catch {
    return undefined;
  }
}

/** The interrupts that ask whether these steps of a call were done; without steps, whether the whole call was. */
export function doubtInterrupts(
  call: AskingCall & { readonly guard?: CallGuard | undefined },
  doubt: {
    readonly steps: readonly string[];
    /** The errors of steps that ended, by step. */
    readonly stepErrors?: ReadonlyMap<string, string>;
    readonly happened: string;
    readonly code: ErrorCode;
  },
  run: RunContext,
): PendingInterrupt[] {
  const { steps, stepErrors, happened, code } = doubt;
  const name = callName(call, run);
  const ask = (what: string, step: Pick<Trouble, 'stepKey'>) => {
    const message = `${name}: ${what} ${happened} It may have been done, or not. Was it?`;
    return recoveryInterrupt(call, { message, actions: DOUBT_ACTIONS, code, ...step }, run);
  };
  if (steps.length === 0) return [ask('it', {})];
  return steps.map((stepKey) => {
    const step = `its step ${stepKey.slice(stepKey.indexOf(':') + 1)}`;
    const error = stepErrors?.get(stepKey);
    if (error === undefined) return ask(step, { stepKey });
    const message = `${name}: ${step} failed: ${error}`;
    return recoveryInterrupt(call, { message, actions: DOUBT_ACTIONS, code: 'TOOL_FAILED', stepKey }, run);
  });
}

const DOUBT_ACTIONS = ['finished', 'retry', 'skip', 'abort'];

/** The rules of the author for an interrupt, if there are any. */
export function interruptRules({ approvers, onExpire }: InterruptRules): { readonly rules?: InterruptRules } {
  if (approvers === undefined && onExpire === undefined) return {};
  return {
    rules: defined({ approvers, onExpire }),
  };
}

function makeInterrupt(
  kind: InterruptKind,
  parts: {
    readonly run: RunContext;
    readonly toolCallId: string | undefined;
    readonly schema: SchemaLike | undefined;
    readonly options: InterruptOptions;
    readonly metadata: Metadata;
  },
): Interrupt {
  const { run, toolCallId, schema, options, metadata } = parts;
  const responseSchema = schema === undefined ? undefined : objectSchema(toJsonSchema(schema));
  return {
    id: run.newId(),
    reason: options.reason ?? INTERRUPT_KINDS[kind].reason,
    ...defined({ message: options.message, toolCallId, responseSchema }),
    ...expiry(options, run),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

/** Not `functionName`, which would mark the interrupt as an approval. */
function aboutCall(call: AskingCall, run: RunContext): Metadata {
  const { tool, input, schemaEffect } = call;
  const title = titleOf(call, run);
  const display = displayedValue(tool.display.input, typedInput(call, run));
  return { toolName: tool.name, toolInput: input, ...defined({ title, display, schemaEffect }) };
}

function objectSchema(schema: JsonSchema): Record<string, unknown> | undefined {
  if (schema === true) return undefined;
  // The same object, so that its compiled form is cached.
  return isRecord(schema) ? schema : { not: {} };
}

function textOf(text: string | ((input: unknown) => string) | undefined, input: unknown): string | undefined {
  return typeof text === 'function' ? text(input) : text;
}

/** The expiry of an interrupt: its own, else the default if there is one. */
function expiry(
  { expiresAt, expiresInMs }: Pick<InterruptOptions, 'expiresAt' | 'expiresInMs'>,
  { clock, interruptTtlMs }: RunContext,
): Pick<Interrupt, 'expiresAt'> {
  const inMs = expiresInMs ?? interruptTtlMs;
  if (expiresAt !== undefined || inMs === undefined) return defined({ expiresAt });
  return { expiresAt: new Date(clock.now() + inMs).toISOString() };
}
