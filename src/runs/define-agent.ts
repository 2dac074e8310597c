import type { AnswerForm, OnExpire } from '../content/interrupts/index.ts';
import { assertExpiry, onExpireCheck } from '../content/interrupts/index.ts';
import type { Check, JsonValue } from '../core/index.ts';
import {
  aboveZero,
  callback,
  checkOptions,
  defined,
  each,
  filledText,
  HoldpointError,
  members,
  newId,
  oneOf,
  optional,
  record,
  text,
} from '../core/index.ts';
import type {
  AgentOptions,
  FinishReason,
  GenerateOptions as EngineGenerateOptions,
  GenerateResponse,
  GeneratingAgent as EngineAgent,
  HookedAgent,
  Reply,
} from '../engine/index.ts';
import {
  defineAgent as defineEngineAgent,
  modeCheck,
  openParts,
  openTurn,
  promptMessage,
  publicMessages,
  repliesOf,
} from '../engine/index.ts';
import type { Access, Quotas } from '../ledger/index.ts';
import {
  createVault,
  isThreadAtWork,
  openInterrupts as openRecords,
  operatorAccess,
  quotasCheck,
  readRun,
  readThread,
  secretKeyCheck,
  storeCheck,
} from '../ledger/index.ts';
import type { Message, ResumeEntry, RunAgentInput, TokenUsage } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { DurableRequest } from './begin-durable.ts';
import { beginDurable, decidesAgain } from './begin-durable.ts';
import { readConversation, toLog } from './conversation.ts';
import { threadChanges } from './follow-run.ts';
import type { OnInterrupt } from './notify-interrupts.ts';
import { createNotifier } from './notify-interrupts.ts';

/** Options of `generate`. Without a store, the messages of the caller are trusted. */
export interface GenerateOptions extends EngineGenerateOptions {
  /**
   * Stores the conversation, the interrupts and the work of runs. With a store, `threadId` is required and
   * `messages` are rejected. Each answer counts once across all processes. A call without a prompt and without
   * answers only continues a lost run. Default: no store.
   */
  readonly store?: Store;
  /** Milliseconds until the lease of a run ends unless the run renews it. Default 30,000. */
  readonly leaseMs?: number;
  /**
   * With a store: answers that leave an interrupt out are rejected (default), or staged, and the rest is asked
   * again.
   */
  readonly uncovered?: 'refuse' | 'reinterrupt';
  /**
   * With a store: 32 random bytes in base64. They encrypt the secrets of answers until the call has ended. Default:
   * none; an interrupt that asks for a secret (`writeOnly` or `format: "password"`) is rejected.
   */
  readonly secretKey?: string;
  /**
   * With a store: the action for an expired interrupt that sets none itself. Default `keep`: it can still be
   * cancelled or asked again. For an interrupt that is not an approval, `deny` acts like `cancel`. An `answer` is for questions whose
   * schema it fits; other interrupts, and every approval, are cancelled. An answer that approves throws `INPUT_INVALID`.
   */
  readonly onExpire?: OnExpire;
  /**
   * With a store: limits for open interrupts and threads. A run beyond them throws `RATE_LIMITED`. Default: no
   * limits.
   */
  readonly quotas?: Quotas;
  /**
   * With a store: called for each interrupt that this run stores, for notifications. `generate` does not wait for it; an
   * error goes to `onError`. Best effort, as on a host. Default: none.
   */
  readonly onInterrupt?: OnInterrupt;
}

/** The options with the right that a server has checked for its caller. Default: the application's own right. */
interface CheckedOptions extends GenerateOptions {
  readonly access?: Access<'run' | 'answer'>;
  /** Given for agents of every kind; agents of ours name approvers themselves. */
  readonly approversOf?: unknown;
  /** The id of the message of the prompt. Default: a new id. */
  readonly promptId?: string;
}

const anything: Check = () => true;

/** The checks of the options of `generate`. */
export const generateChecks = {
  principal: optional(record),
  answeredBy: anything,
  signal: anything,
  mode: optional(modeCheck),
  policies: optional(each(callback)),
  grants: optional(record),
  files: optional(record),
  newId: optional(callback),
  clock: optional(record),
  interruptTtlMs: optional(aboveZero),
  onWarning: optional(callback),
  onError: optional(callback),
  prompt: anything,
  messages: optional(each(record)),
  resume: anything,
  clientTools: optional(each(record)),
  state: anything,
  maxTurns: optional(aboveZero),
  threadId: optional(text),
  runId: optional(filledText),
  store: optional(storeCheck),
  leaseMs: optional(aboveZero),
  uncovered: optional(oneOf('refuse', 'reinterrupt')),
  secretKey: optional(secretKeyCheck),
  onExpire: optional(onExpireCheck),
  quotas: optional(quotasCheck),
  onInterrupt: optional(callback),
  access: anything,
  approversOf: anything,
  promptId: optional(filledText),
} as const;

const generateOptions = members<CheckedOptions>(generateChecks);

/** An agent of ours, usable in process, with or without a store. */
export interface GeneratingAgent extends EngineAgent<GenerateOptions> {}

/**
 * Defines an agent: a model with tools, or plain code with `run`. Throws `INPUT_INVALID` for an option that does not fit, and for
 * two tools of one name.
 *
 * @example
 * ```ts
 * import { defineAgent } from 'holdpoint';
 * import { sqliteStore } from 'holdpoint/store/sqlite';
 * import { scriptedModel } from 'holdpoint/testing';
 *
 * const clerk = defineAgent({ id: 'clerk', model: scriptedModel(['Hello.']) });
 * const { text } = await clerk.generate({ store: sqliteStore('holdpoint.db'), threadId: 't1', prompt: 'Hi.' });
 * ```
 */
export function defineAgent(options: AgentOptions): GeneratingAgent {
  return defineEngineAgent<GenerateOptions>(options, (given: CheckedOptions, agent) => {
    checkOptions('options of generate', given, generateOptions);
    const { store } = given;
    return store === undefined ? undefined : generateDurably(agent, { ...given, store });
  });
}

/** The principal of a caller that names none. */
const DEFAULT_PRINCIPAL = { id: 'local', scope: 'default' };

/**
 * `generate` with a store: the conversation and the open interrupts come from the store, each answer counts once, and a run that
 * another process left is continued. The same answer again waits for the run that claimed it, and returns the result of that run.
 */
export async function generateDurably(
  agent: HookedAgent,
  options: CheckedOptions & { readonly store: Store },
): Promise<GenerateResponse> {
  const { store, threadId, prompt } = options;
  if (threadId === undefined || options.messages !== undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'With a store, generate needs a threadId and takes no messages: the conversation is the stored one.',
    );
  }
  assertExpiry(options.onExpire, { owner: 'The call of generate' });
  const { scope = DEFAULT_PRINCIPAL.scope, ...who } = options.principal ?? DEFAULT_PRINCIPAL;
  const access = options.access ?? operatorAccess(store, { scope, thread: threadId }, { ...who, scope });
  const ids = options.newId ?? newId;
  const runId = options.runId ?? ids();
  const newMessages = prompt === undefined ? [] : [promptMessage(options.promptId ?? ids(), prompt)];
  const request: DurableRequest = {
    store,
    access,
    runId,
    agent: agent.id,
    entries: entriesOf(options),
    takesAnyForm: (repliesOf(options.resume) ?? []).some((reply) => 'method' in reply),
    newMessages: toLog(newMessages),
    ...(prompt === undefined && options.resume === undefined ? { continues: 'on-request' as const } : {}),
    via: 'in-process',
    tools: agent.tools,
    decidesAgain: decidesAgain(options, agent.policies),
    newId: ids,
    files: options.files,
    leaseMs: options.leaseMs,
    onExpire: options.onExpire,
    quotas: options.quotas,
    vault: options.secretKey === undefined ? undefined : await createVault(options.secretKey),
    ...defined({ state: options.state as JsonValue | undefined }),
    ...defined({ uncovered: options.uncovered }),
  };
  let begun = await beginDurable(request);
  // Another run has claimed the same answers: wait for it, and continue its turn if it was lost.
  while (begun.type === 'follow') {
    await waitForRun(store, access, begun.runId);
    if ((await readThread(access))?.active === undefined) break;
    begun = await beginDurable(request);
  }
  if (begun.type !== 'run') return asItIs(access);
  const { session, answers, state } = begun;
  const { signal: lost } = session;
  const signal = options.signal === undefined ? lost : AbortSignal.any([lost, options.signal]);
  const { clock = begun.context.clock } = options;
  const input: RunAgentInput = {
    threadId,
    runId,
    state,
    messages: [],
    tools: [...(options.clientTools ?? [])],
    context: [],
    ...(answers.length === 0 ? {} : { resume: [...answers] }),
  };
  const response = await agent.run(input, { ...options, ...begun.context, clock, signal }, options.maxTurns);
  if (response.finishReason === 'interrupted') {
    const notify = createNotifier(store, options.onInterrupt, (error) => options.onError?.(error));
    notify(access.key, (record) => record.runId === runId);
  }
  return { ...response, messages: publicMessages(response.messages) };
}

/** The answers in the form of the ledger. */
function entriesOf({ resume }: GenerateOptions): ResumeEntry[] {
  return (repliesOf(resume) ?? []).map((reply): ResumeEntry => {
    const { interruptId, status, payload, metadata } = reply;
    if ('replaceInput' in reply) {
      throw new HoldpointError(
        'INPUT_INVALID',
        'With a store, arguments come from the record: use editedArgs if the interrupt offers it.',
      );
    }
    const as = formOf(reply);
    return {
      interruptId,
      status,
      ...defined({ payload, metadata: as === undefined ? metadata : { ...metadata, as } }),
    };
  });
}

/** The form of a reply of a tool to its `ctx.interrupt`; undefined for every other answer. */
function formOf(reply: Reply | ResumeEntry): AnswerForm | undefined {
  if (!('method' in reply) || reply.kind !== 'restart' || reply.status === 'cancelled') return undefined;
  return reply.method === 'respond' ? 'output' : 'resume';
}

/** The thread as a response: the result of its last run and its open interrupts. */
async function asItIs(access: Access<'run' | 'answer'>): Promise<GenerateResponse> {
  const thread = await readThread(access);
  const run = thread?.lastRun === undefined ? undefined : await readRun(access, thread.lastRun);
  // The checkpoints wrote it at the end of that run.
  const summary = (run?.summary ?? {}) as unknown as Summary;
  const conversation = await readConversation(access);
  const turn = thread?.batch === undefined ? undefined : (thread.turn as unknown as Message | undefined);
  const messages = turn === undefined ? conversation : [...conversation, turn];
  const waiting = openTurn(messages);
  const unanswered = new Set((await openRecords(access)).map(({ interrupt }) => interrupt.id));
  return {
    finishReason: thread?.batch === undefined ? (summary.finishReason ?? 'stop') : 'interrupted',
    text: summary.text ?? '',
    messages: publicMessages(messages),
    interrupts:
      waiting === undefined ? [] : openParts(waiting).filter(({ interrupt }) => unanswered.has(interrupt.id)),
    toolRequests: [],
    usage: summary.usage ?? [],
    result: summary.result,
    state: thread?.state,
  };
}

interface Summary {
  readonly finishReason?: FinishReason;
  readonly text?: string;
  readonly usage?: readonly TokenUsage[];
  readonly result?: unknown;
}

/** Resolves when a run is no longer active: it ended, its lease ended, or its process died. */
export async function waitForRun(store: Store, access: Access, runId: string): Promise<void> {
  for await (const _look of threadChanges(store, access.key)) {
    const thread = await readThread(access);
    if (thread?.active?.runId !== runId || !(await isThreadAtWork(access, thread))) return;
  }
}
