import type { OnExpire } from '../content/interrupts/index.ts';
import type { JsonValue } from '../core/index.ts';
import { defined, HoldpointError, newId } from '../core/index.ts';
import type {
  AgentOptions,
  FinishReason,
  GenerateOptions as EngineGenerateOptions,
  GenerateResponse,
  GeneratingAgent as EngineAgent,
  HookedAgent,
} from '../engine/index.ts';
import {
  defineAgent as defineEngineAgent,
  openQuestions,
  openTurn,
  publicMessages,
  repliesOf,
} from '../engine/index.ts';
import type { Access, Quotas } from '../ledger/index.ts';
import {
  createVault,
  isThreadAtWork,
  openQuestions as openRecords,
  operatorAccess,
  readRun,
  readThread,
} from '../ledger/index.ts';
import type { Message, ResumeEntry, RunAgentInput, TokenUsage } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { DurableRequest } from './begin-durable.ts';
import { beginDurable } from './begin-durable.ts';
import { readConversation, toLog } from './conversation.ts';

/** Options of `generate`. Without a store the caller is trusted with the messages. */
export interface GenerateOptions extends EngineGenerateOptions {
  /**
   * Keeps the thread: its conversation, its interrupts and the work of its runs. With a store, `threadId` is required and
   * `messages` are refused. Each answer counts once, in all processes together, and a lost run is continued; a call without a
   * prompt and without answers does only that.
   */
  readonly store?: Store;
  /** Milliseconds that a run keeps its thread without a sign of life. Default 30,000. */
  readonly leaseMs?: number;
  /** With a store: answers that leave an interrupt out are refused (default), or kept, and the rest is asked again. */
  readonly uncovered?: 'refuse' | 'reinterrupt';
  /**
   * With a store: 32 random bytes in base64. They encrypt the secrets of answers until the call that asked has ended. Without a
   * key, an interrupt that asks for a secret (`writeOnly` or `format: "password"`) is refused.
   */
  readonly secretKey?: string;
  /**
   * With a store: the action when an interrupt expires that sets none itself. Default `keep`: it stays, and can be cancelled or
   * asked again. For an interrupt that is not an approval, `deny` acts like `cancel`.
   */
  readonly onExpire?: OnExpire;
  /** With a store: limits for the scope of the principal. A run beyond them throws `RATE_LIMITED`. */
  readonly quotas?: Quotas;
}

/** The options with the right that a server has checked for its caller. Default: the application's own right. */
interface CheckedOptions extends GenerateOptions {
  readonly access?: Access<'run' | 'answer'>;
}

/** An agent of ours, usable in process, with or without a store. */
export interface GeneratingAgent extends EngineAgent<GenerateOptions> {}

/** Makes an agent: a model with tools, or plain code with `run`. Throws `INPUT_INVALID` for two tools of one name. */
export function defineAgent(options: AgentOptions): GeneratingAgent {
  return defineEngineAgent<GenerateOptions>(options, ({ store, ...rest }: CheckedOptions, agent) =>
    store === undefined ? undefined : generateDurably(agent, { ...rest, store }),
  );
}

/** The principal of a caller that names none. */
const NOBODY = { id: 'local', scope: 'default' };

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
  const { scope = NOBODY.scope, ...who } = options.principal ?? NOBODY;
  const access = options.access ?? operatorAccess(store, { scope, thread: threadId }, { ...who, scope });
  const ids = options.newId ?? newId;
  const runId = options.runId ?? ids();
  const newMessages: Message[] = prompt === undefined ? [] : [{ id: ids(), role: 'user', content: prompt }];
  const request: DurableRequest = {
    store,
    access,
    runId,
    agent: agent.id,
    entries: entriesOf(options),
    newMessages: toLog(newMessages),
    ...(prompt === undefined && options.resume === undefined ? { continues: 'on-request' as const } : {}),
    via: 'in-process',
    tools: agent.tools,
    newId: ids,
    leaseMs: options.leaseMs,
    onExpire: options.onExpire,
    quotas: options.quotas,
    vault: options.secretKey === undefined ? undefined : await createVault(options.secretKey),
    ...(options.state === undefined ? {} : { state: options.state as JsonValue }),
    ...defined({ uncovered: options.uncovered }),
  };
  let begun = await beginDurable(request);
  // The same answers are at work in another run: it is waited for, and where that was lost, what it left is continued.
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
  return { ...response, messages: publicMessages(response.messages) };
}

/** Answers as the ledger takes them. */
function entriesOf({ resume }: GenerateOptions): ResumeEntry[] {
  return (repliesOf(resume) ?? []).map((reply): ResumeEntry => {
    const { interruptId, status, payload, metadata } = reply;
    if ('replaceInput' in reply) {
      throw new HoldpointError(
        'INPUT_INVALID',
        'With a store, arguments come from the record: give editedArgs where the question offers it.',
      );
    }
    return {
      interruptId,
      status,
      ...defined({ payload, metadata }),
    };
  });
}

/** The thread as it is, in the form of a response: what its last run came to, and what it waits for. */
async function asItIs(access: Access<'run' | 'answer'>): Promise<GenerateResponse> {
  const thread = await readThread(access);
  const run = thread?.lastRun === undefined ? undefined : await readRun(access, thread.lastRun);
  // Written by the checkpoints at the end of that run.
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
      waiting === undefined
        ? []
        : openQuestions(waiting).filter(({ interrupt }) => unanswered.has(interrupt.id)),
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

/** How often it is looked at whether a run still lives, where nothing is heard of it. */
const LOOK_MS = 1000;

/** Resolves when a run is no longer at work on its thread: it ended, or its lease did, or its process. */
export async function waitForRun(store: Store, access: Access, runId: string): Promise<void> {
  const { key } = access;
  const isOver = async () => {
    const thread = await readThread(access);
    return thread?.active?.runId !== runId || !(await isThreadAtWork(access, thread));
  };
  let wake: () => void = () => undefined;
  const stop = store.watch(({ scope, thread }) => {
    if (scope === key.scope && thread === key.thread) wake();
  });
  try {
    for (;;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, LOOK_MS);
      });
      if (await isOver()) {
        clearTimeout(timer);
        return;
      }
      await changed;
      clearTimeout(timer);
    }
  } finally {
    stop();
  }
}
