import type { HostAgent } from '../../runs/index.ts';
import type { AgentDirectory } from '../agents/agent-directory.ts';
import type { AgentRound, RoundOptions } from './agent-round.ts';
import { createAgentRound } from './agent-round.ts';

export interface RecheckOptions extends Omit<RoundOptions, 'signal' | 'limitMs'> {
  readonly agents: AgentDirectory;
  /** Milliseconds between two rounds; 0 makes none by itself. */
  readonly everyMs: number;
  /** Milliseconds that an agent has to say whether it still waits. Default 20,000. */
  readonly limitMs?: number;
}

/** Asks agents that keep their own checkpoint whether they still wait for what is open here. */
export interface Recheck {
  /** Makes a round now; resolves when the threads that it found have gone on. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

const LIMIT_MS = 20_000;

/**
 * Keeps open questions as their agents see them: one that has gone on without an answer, because somebody gave it elsewhere,
 * or because its time was over there, has its questions withdrawn, and its thread goes on. Every agent has rounds of its own,
 * so that one that hangs delays no other. Safe in as many processes as like to look: the ledger lets one of them.
 */
export function startRecheck(options: RecheckOptions): Recheck {
  const { agents, everyMs, recheckMs, onError, limitMs = LIMIT_MS } = options;
  const stop = new AbortController();
  const rounds = new Map<string, AgentRound>();
  const underWay = new Map<string, Promise<void>>();

  const lookAt = (agent: HostAgent): Promise<void> => {
    const { id } = agent;
    const round = rounds.get(id) ?? createAgentRound({ ...options, limitMs, signal: stop.signal });
    rounds.set(id, round);
    const looking =
      underWay.get(id) ??
      round(agent)
        .catch((error: unknown) => onError(error, { thread: '' }))
        .finally(() => underWay.delete(id));
    underWay.set(id, looking);
    return looking;
  };
  const look = async (): Promise<void> => {
    if (stop.signal.aborted || recheckMs <= 0) return;
    const able = agents.list().filter(({ isOurs, reconcile }) => !isOurs && reconcile !== undefined);
    await Promise.all(able.map(lookAt));
  };
  const timer = everyMs <= 0 ? undefined : setInterval(() => void look(), everyMs);
  (timer as { unref?: () => void } | undefined)?.unref?.();
  return {
    look,
    async stop() {
      stop.abort();
      clearInterval(timer);
      await Promise.all(underWay.values());
    },
  };
}
