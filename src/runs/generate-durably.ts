import type { JsonValue } from '../core/index.ts';
import { HoldpointError, newId } from '../core/index.ts';
import type { Access } from '../ledger/index.ts';
import {
  createVault,
  openQuestions as openRecords,
  operatorAccess,
  readRun,
  readThread,
} from '../ledger/index.ts';
import type { Message, ResumeEntry, TokenUsage } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { AgentContext, GenerateOptions, GenerateResponse } from '../engine/agent/agent.ts';
import { publicMessages } from '../engine/agent/public-messages.ts';
import { repliesOf } from '../engine/agent/start-of.ts';
import type { FinishReason } from '../engine/loop/run-loop.ts';
import { openQuestions, openTurn } from '../engine/loop/open-turn.ts';
import type { Tool } from '../engine/tools/tool.ts';
import type { DurableRequest, DurableRun } from './begin-durable.ts';
import { beginDurable } from './begin-durable.ts';
import { readConversation, toLog } from './conversation.ts';
import { waitForRun } from './wait-for-run.ts';

/** Who acts where nobody says who it is. */
const NOBODY = { id: 'local', scope: 'default' };

export interface DurableGenerate {
  readonly agentId: string;
  readonly tools: readonly Tool[];
  /** Runs what has begun. */
  readonly attempt: (run: DurableRun, context: AgentContext, runId: string) => Promise<GenerateResponse>;
}

/**
 * `generate` with a store: the thread's conversation and its open questions are the store's, each answer counts once, and a
 * run that another process left is continued. The same answer again waits for the run that has it, and gives what that gave.
 */
export async function generateDurably(
  { agentId, tools, attempt }: DurableGenerate,
  options: GenerateOptions & { readonly store: Store },
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
    agent: agentId,
    entries: entriesOf(options),
    newMessages: toLog(newMessages),
    ...(prompt === undefined && options.resume === undefined ? { continues: 'on-request' as const } : {}),
    via: 'in-process',
    tools,
    newId: ids,
    leaseMs: options.leaseMs,
    onExpire: options.onExpire,
    quotas: options.quotas,
    vault: options.secretKey === undefined ? undefined : await createVault(options.secretKey),
    ...(options.state === undefined ? {} : { state: options.state as JsonValue }),
    ...(options.uncovered === undefined ? {} : { uncovered: options.uncovered }),
  };
  let begun = await beginDurable(request);
  // The same answers are at work in another run: it is waited for, and where that was lost, what it left is continued.
  while (begun.type === 'follow') {
    await waitForRun(store, access, begun.runId);
    if ((await readThread(access))?.active === undefined) break;
    begun = await beginDurable(request);
  }
  if (begun.type !== 'run') return asItIs(access);
  const { run } = begun;
  const { signal: lost } = run.session;
  const signal = options.signal === undefined ? lost : AbortSignal.any([lost, options.signal]);
  const { clock = run.context.clock } = options;
  const context: AgentContext = { ...options, ...run.context, clock, signal };
  const response = await attempt(run, context, runId);
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
      ...(payload === undefined ? {} : { payload }),
      ...(metadata === undefined ? {} : { metadata }),
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
