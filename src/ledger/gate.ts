import type { Store } from '../store/index.ts';
import { UNNAMED_INTERRUPT } from '../protocol/index.ts';
import type { AccessRules, Action, Resource, Wanted } from './access.ts';
import {
  Access,
  assertAllowed,
  hasThreadRules,
  isAllowed,
  ScopeAccess,
  threadRow,
  unknownInterrupt,
  unknownThread,
} from './access.ts';
import type { InterruptRecord, Principal, ThreadKey } from './records.ts';
import { fromDoc } from './thread-view.ts';

/** Which thread, and which agent is to work on it, where the request names one. */
export interface ThreadPlace {
  readonly thread: string;
  readonly agent?: string;
}

/** An interrupt that a principal may read or answer, as it was when that was decided. */
export interface InterruptAccess<A extends Action> {
  readonly access: Access<A>;
  readonly record: InterruptRecord;
}

/** Where every request passes: it asks the rules and gives the value that ledger reads and writes take. */
export interface Gate {
  /**
   * The right to a thread, asked with the agent that the thread has and with the one that is requested. Throws `FORBIDDEN`, or
   * `THREAD_UNKNOWN` for a principal who may not know that the thread exists.
   */
  checkThread<A extends Exclude<Action, 'answer'>>(
    principal: Principal,
    action: A,
    place: ThreadPlace,
  ): Promise<Access<A>>;
  /** The right to one interrupt. Throws `FORBIDDEN`, `ANSWER_FORBIDDEN` or `INTERRUPT_UNKNOWN`. */
  checkInterrupt<A extends 'read' | 'answer'>(
    principal: Principal,
    action: A,
    place: { readonly thread: string; readonly interruptId: string },
  ): Promise<InterruptAccess<A>>;
  /**
   * The right to answer every interrupt that is named, and every open one where a name is missing. Unknown ids are left to the
   * ledger. Throws `ANSWER_FORBIDDEN` or `INTERRUPT_UNKNOWN`.
   */
  checkAnswers(
    principal: Principal,
    place: ThreadPlace & { readonly interruptIds: readonly string[] },
  ): Promise<Access<'answer'>>;
  /** The right to the lists of the principal's scope. Throws `FORBIDDEN`. */
  checkScope<A extends 'read' | 'delete'>(principal: Principal, action: A): Promise<ScopeAccess<A>>;
  /** Whether the principal may do something to what is no thread: an agent, or a grant. */
  isAllowed(principal: Principal, wanted: Wanted): Promise<boolean>;
}

/** The gate of a store: it decides by the rules and the rows, and by nothing that a client says about a thread. */
export function createGate(store: Store, rules: AccessRules = {}): Gate {
  const recordsOf = async (key: ThreadKey, ids: readonly string[]): Promise<InterruptRecord[]> => {
    const rows = await store.get(
      'interrupts',
      ids.map((id) => ({ ...key, id })),
    );
    return rows.flatMap((row) => (row === undefined ? [] : [fromDoc(row, 'interrupt')]));
  };

  return {
    async checkThread(principal, action, { thread, agent: requested }) {
      const key = { scope: principal.scope, thread };
      const access = new Access({ store, rules, principal, requested }, key, action);
      await checkAgain(access);
      return access;
    },

    async checkInterrupt(principal, action, { thread, interruptId }) {
      const key = { scope: principal.scope, thread };
      const grounds = { store, rules, principal };
      const absent = unknownInterrupt([interruptId]);
      const [record] = await recordsOf(key, [interruptId]);
      if (record === undefined) {
        const [resource = { thread }] = placesOf(thread, [(await threadRow(store, key))?.agent]);
        await assertAllowed(grounds, { action, ...resource }, absent);
        throw absent;
      }
      await assertAllowed(grounds, { action, thread, agent: record.agent, interrupt: record }, absent);
      return { access: new Access(grounds, key, action), record };
    },

    async checkAnswers(principal, { thread, agent: requested, interruptIds }) {
      const key = { scope: principal.scope, thread };
      const grounds = { store, rules, principal };
      const row = await threadRow(store, key);
      const isUnnamed = interruptIds.includes(UNNAMED_INTERRUPT);
      const open = isUnnamed ? [...(row?.batch?.interruptIds ?? []), ...(row?.claimed ?? [])] : [];
      const records = await recordsOf(key, [...new Set([...interruptIds, ...open])]);
      const resources: Resource[] = records.flatMap((interrupt) =>
        placesOf(thread, [interrupt.agent, requested]).map((place) => ({ ...place, interrupt })),
      );
      if (records.length === 0) resources.push(...placesOf(thread, [row?.agent, requested]));
      for (const resource of resources)
        await assertAllowed(grounds, { action: 'answer', ...resource }, unknownInterrupt(interruptIds));
      return new Access(grounds, key, 'answer');
    },

    async checkScope(principal, action) {
      const access = new ScopeAccess({ store, rules, principal }, action);
      await checkAgain(access);
      return access;
    },

    isAllowed: (principal, wanted) => isAllowed({ store, rules, principal }, wanted),
  };
}

/** Asks the rules once more about a right that was given before; for streams that stay open. Throws as the gate does. */
export async function checkAgain(access: Access | ScopeAccess): Promise<void> {
  const { action } = access;
  if (action === 'operate') return;
  if (access instanceof ScopeAccess) return assertAllowed(ScopeAccess.grounds(access), { action });
  const decided = Access.decided(access);
  if (!hasThreadRules(decided)) return;
  const { store, requested } = decided;
  const { thread } = access.key;
  const agent = (await threadRow(store, access.key))?.agent;
  // A run or a connect that names its agent works on a new thread too: nothing that is absent could be told instead.
  const absent = requested === undefined ? unknownThread(thread) : undefined;
  for (const place of placesOf(thread, [agent, requested]))
    await assertAllowed(decided, { action, ...place }, absent);
  if (agent !== undefined) decided.agent = agent;
}

/** The thread once with each agent; once without an agent if no agent is known. */
function placesOf(thread: string, agents: readonly (string | undefined)[]): readonly Resource[] {
  const known = new Set(agents.flatMap((agent) => agent ?? []));
  return known.size === 0 ? [{ thread }] : [...known].map((agent) => ({ thread, agent }));
}
