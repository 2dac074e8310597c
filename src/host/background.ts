import type { Principal, ThreadKey, ThreadRecord } from '../ledger/index.ts';
import { closeLostRun, expireDue, readThread } from '../ledger/index.ts';
import type { Store } from '../store/index.ts';
import type { AgentDirectory } from './agents/agent-directory.ts';
import { NOBODY } from './auth/principal.ts';
import type { Runs } from './runs/runs.ts';

export interface BackgroundOptions {
  readonly store: Store;
  readonly agents: AgentDirectory;
  readonly runs: Runs;
  readonly newId: () => string;
  readonly everyMs: number;
  readonly onSwept: (what: 'expired' | 'continued', count: number) => void;
  readonly onError: (error: unknown) => void;
}

/** Goes on with what nobody is there for: batches that people completed, runs whose process is gone, questions whose time is over. */
export interface Background {
  /** Goes on with one thread now. */
  goOn(key: ThreadKey): Promise<void>;
  /** Looks for work once; resolves when what it found has been begun. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export function startBackground(options: BackgroundOptions): Background {
  const { store, agents, runs, newId, everyMs, onError } = options;
  let stopped = false;
  let sweeping: Promise<void> | undefined;

  const goOn = async (key: ThreadKey): Promise<void> => {
    const thread = await readThread(store, key);
    if (thread === undefined || stopped) return;
    const agent = agents.resolve(thread.agent);
    // Another process may know it; the question stays listed until one does.
    if (agent === undefined) return;
    if (!agent.isOurs && isLostBeforeAnyAnswer(thread)) {
      await closeLostRun(store, key);
      return;
    }
    const principal: Principal = thread.principal ?? { ...NOBODY, scope: key.scope };
    const input = { threadId: key.thread, runId: newId(), messages: [], tools: [], context: [], state: {} };
    await runs.start({ key, agent, principal, input, continues: 'background' });
  };
  const sweep = async (): Promise<void> => {
    options.onSwept('expired', await expireDue(store));
    const dueBefore = await store.now();
    let found = 0;
    let cursor: string | undefined;
    // All pages: what nobody here can go on with must not stand before the rest.
    do {
      const page = await store.list({
        table: 'threads',
        status: ['ready', 'active'],
        dueBefore,
        order: 'due',
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { key } of page.rows) {
        if (stopped) return;
        await goOn({ scope: key.scope, thread: key.thread }).catch(onError);
      }
      found += page.rows.length;
      cursor = page.next;
    } while (cursor !== undefined);
    options.onSwept('continued', found);
  };
  const tick = (): Promise<void> => {
    sweeping ??= sweep()
      .catch(onError)
      .finally(() => {
        sweeping = undefined;
      });
    return sweeping;
  };
  const timer = everyMs <= 0 ? undefined : setInterval(() => void tick(), everyMs);
  (timer as { unref?: () => void } | undefined)?.unref?.();
  return {
    goOn: (key) => goOn(key).catch(onError),
    sweep: tick,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}

/** A foreign agent that was lost in the middle of a plain message: what it did is not known, and nobody waits for it. */
function isLostBeforeAnyAnswer({ active, claimed, batch }: ThreadRecord): boolean {
  return active !== undefined && claimed === undefined && batch === undefined;
}
