import { HoldpointError } from '../core/index.ts';
import type { Agent, RunOptions } from '../engine/index.ts';
import { createEventQueue, promptMessage } from '../engine/index.ts';
import type { Access, ApproversOf, BeginRun } from '../ledger/index.ts';
import { createVault, openInterrupts } from '../ledger/index.ts';
import type { AgentStreamEvent, Interrupt, ResumeEntry } from '../protocol/index.ts';
import { interruptsOf, isRunFinished, outcomeOf } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import { beginForeign } from './begin-foreign.ts';
import { toLog } from './conversation.ts';
import type { GenerateOptions, GeneratingAgent } from './define-agent.ts';
import { endsRun } from './follow-run.ts';
import { toHostAgent } from './host-agent.ts';
import { createNotifier } from './notify-interrupts.ts';

/** The end of a run on a stored thread. */
export interface StoredEnd {
  readonly finishReason: string;
  readonly text: string;
  readonly interrupts: readonly { readonly interrupt: Interrupt }[];
  readonly result?: unknown;
}

export interface StoredRun extends AsyncIterable<AgentStreamEvent> {
  readonly response: Promise<StoredEnd>;
}

export type StoredOptions = Pick<
  RunOptions,
  'policies' | 'mode' | 'grants' | 'files' | 'onError' | 'onWarning'
> &
  Pick<GenerateOptions, 'leaseMs' | 'onInterrupt' | 'secretKey'> &
  Pick<BeginRun, 'runId'> & {
    readonly store: Store;
    /** The permission to run the agent on the thread, or to answer its interrupts. */
    readonly access: Access<'run' | 'answer'>;
    readonly signal: AbortSignal;
    /** The approvers of interrupts of an agent that names none itself. */
    readonly approversOf?: ApproversOf | undefined;
    readonly newId: () => string;
    readonly prompt?: NonNullable<GenerateOptions['prompt']>;
    /** The id of the message of the prompt. Default: a new id. */
    readonly promptId?: string;
    readonly resume?: readonly ResumeEntry[];
  };

/** Runs an agent of any kind on a stored thread. The event that ends the run comes after its end is stored. */
export function runStored(agent: Agent | GeneratingAgent, options: StoredOptions): StoredRun {
  const { key, principal } = options.access;
  if ('stream' in agent) return agent.stream({ ...options, threadId: key.thread, principal });
  const queue = createEventQueue<AgentStreamEvent>();
  const response = runHere(agent, options, (event) => queue.push(event));
  response.then(
    () => queue.end(),
    () => queue.end(),
  );
  return { response, [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() };
}

async function runHere(
  agent: Agent,
  options: StoredOptions,
  emit: (event: AgentStreamEvent) => void,
): Promise<StoredEnd> {
  const {
    store,
    access,
    runId,
    prompt,
    promptId,
    resume = [],
    newId,
    leaseMs,
    signal,
    secretKey,
    approversOf,
    onInterrupt,
    ...context
  } = options;
  const said = prompt === undefined ? [] : [promptMessage(promptId ?? newId(), prompt)];
  const input = {
    threadId: access.key.thread,
    runId,
    messages: [],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
  };
  const ended: AgentStreamEvent[] = [];
  const run = await beginForeign(
    { access, agent: toHostAgent(agent), input },
    {
      runId,
      agent: agent.id,
      entries: resume,
      newMessages: toLog(said),
      via: 'in-process',
      leaseMs,
      vault: secretKey === undefined ? undefined : await createVault(secretKey),
      ...(prompt === undefined && resume.length === 0 ? { continues: 'on-request' as const } : {}),
    },
    {
      store,
      newId,
      approversOf,
      onExpire: undefined,
      onError: (error) => context.onError?.(error),
      onOutcome: () => undefined,
      contextFor: () => context,
      onEvent: (event) => void (endsRun(event) ? ended.push(event) : emit(event)),
    },
  );
  if (run.type !== 'started') {
    const open = await openInterrupts(access);
    return { finishReason: open.length > 0 ? 'interrupted' : 'stop', text: '', interrupts: open };
  }
  const stop = () => run.cancel();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await run.work();
  } catch (error) {
    run.session.abandon();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  const last = ended.at(-1);
  if (last === undefined || !isRunFinished(last)) {
    throw new HoldpointError('TOOL_FAILED', 'The agent failed.', { cause: last });
  }
  emit(last);
  const notify = createNotifier(store, onInterrupt, (error) => context.onError?.(error));
  notify(access.key, (record) => record.runId === runId);
  const interrupts = interruptsOf(last).map((interrupt) => ({ interrupt }));
  return { finishReason: FINISH_REASONS[outcomeOf(last)], text: '', interrupts, result: last.result };
}

const FINISH_REASONS = { success: 'stop', interrupt: 'interrupted', cancelled: 'cancelled' } as const;
