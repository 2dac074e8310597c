import { HoldpointError } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import type { HostAgent, Reconciled } from '../../runs/index.ts';

export interface AskedOf {
  readonly agent: HostAgent;
  readonly key: ThreadKey;
  /** The questions of the open batch. */
  readonly interrupts: readonly Interrupt[];
  /** Our id of a question → the agent's own, where they differ. */
  readonly names: Readonly<Record<string, string>>;
}

export interface AskLimits {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * The ids of the questions of which their agent says that it has gone on without an answer from here. Throws where it does
 * not answer for one of them, or not in time, or when the signal fires: what is half known is left as it is.
 */
export async function questionsTaken(asked: AskedOf, limits: AskLimits): Promise<ReadonlySet<string>> {
  const { agent, key, interrupts, names } = asked;
  const taken = new Set<string>();
  const ask = async (ids: readonly Interrupt[]) => {
    const told = await Promise.all(
      ids.map(async (interrupt): Promise<readonly [string, Reconciled]> => {
        const { id } = interrupt;
        const state = await agent.reconcile?.({ ...interrupt, id: names[id] ?? id }, key);
        return [id, state ?? 'unknown'];
      }),
    );
    for (const [id, state] of told) if (state === 'taken') taken.add(id);
  };
  await inTime(agent, limits, async () => {
    await ask(interrupts);
    const others = interrupts.filter(({ id }) => !taken.has(id));
    // The agent may have gone on between two of its answers: those that were told first are told again.
    if (taken.size > 0 && others.length > 0) await ask(others);
  });
  return taken;
}

/** An agent that hangs is not waited for. */
async function inTime(
  { id }: HostAgent,
  { limitMs, signal }: AskLimits,
  ask: () => Promise<void>,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: () => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const refuse = (why: string) => reject(new HoldpointError('TOOL_FAILED', `The agent ${id} ${why}.`));
    stop = () => refuse('is not asked any more');
    timer = setTimeout(() => refuse(`did not say in ${limitMs} ms whether it still waits`), limitMs);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
