import { HoldpointError } from '../core/index.ts';
import type { BeginRun, ThreadRecord } from '../ledger/index.ts';
import { openQuestions, readThread } from '../ledger/index.ts';
import { readConversation, toLog } from './conversation.ts';
import { isForeignTurn } from './foreign-turn.ts';
import { newMessages } from './merge-messages.ts';
import type { RunRequest, RunsOptions } from './run-request.ts';

/** What a request asks of the ledger, by the thread as it is. Throws what {@link assertItsTurn} does. */
export async function readRequest(request: RunRequest, options: RunsOptions): Promise<BeginRun> {
  const { access, agent, input } = request;
  // In this order: what is added to the conversation meanwhile is noticed when the run begins.
  const thread = await readThread(access);
  assertItsTurn(request, thread);
  const [known, asked] = await Promise.all([
    readConversation(access),
    thread?.batch === undefined ? [] : openQuestions(access, thread),
  ]);
  const vault = await options.vault();
  const fresh = request.continues === undefined ? newMessages(input, known, { thread, asked }) : [];
  const replaces =
    typeof input.state === 'object' && input.state !== null && Object.keys(input.state).length > 0;
  return {
    runId: input.runId,
    agent: agent.id,
    entries: input.resume ?? [],
    newMessages: toLog(fresh),
    expectMessages: thread?.logs.messages ?? 0,
    ...titleOf(fresh),
    leaseMs: options.leaseMs,
    via: request.continues === 'background' ? ('inbox' as const) : ('ag-ui' as const),
    quotas: options.quotas,
    vault,
    ...(replaces ? { state: input.state as BeginRun['state'] & object } : {}),
    ...(request.uncovered === undefined ? {} : { uncovered: request.uncovered }),
    ...(request.continues === undefined ? {} : { continues: request.continues }),
  };
}

/**
 * What an agent left open is for that agent: another would take the answers and do nothing with them. Agents of ours can go
 * on with each other's turns, as far as they have the tools. Throws `INTERRUPT_UNKNOWN` or `RUN_CONFLICT`.
 */
function assertItsTurn({ agent, input, access }: RunRequest, thread: ThreadRecord | undefined): void {
  if (thread?.turn === undefined || thread.agent === agent.id) return;
  if (agent.isOurs && !isForeignTurn(thread.turn)) return;
  const sentence = `The thread ${access.key.thread} waits for the agent ${thread.agent}, not for ${agent.id}.`;
  if ((input.resume ?? []).length > 0) throw new HoldpointError('INTERRUPT_UNKNOWN', sentence);
  if (thread.batch === undefined) throw new HoldpointError('RUN_CONFLICT', sentence);
}

/** The first thing somebody says is what a thread is about. */
function titleOf(fresh: ReturnType<typeof newMessages>): { readonly title?: string } {
  for (const message of fresh) {
    if ('role' in message && message.role === 'user' && typeof message.content === 'string') {
      return { title: message.content.slice(0, 80) };
    }
  }
  return {};
}
