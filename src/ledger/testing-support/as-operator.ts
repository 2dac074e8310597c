/** Ledger functions for tests, with operator permissions: they take a store, a key and a principal. */
import type { Store } from '../../store/index.ts';
import { Access } from '../access.ts';
import type { MayAnswer } from '../access.ts';
import type { BeginRun, BeginResult, DropInterrupts, Principal, StageAnswer, ThreadKey } from '../index.ts';
import * as ledger from '../index.ts';

/** The principal, the thread, and the rule who may answer. */
export interface As {
  readonly key: ThreadKey;
  readonly principal?: Principal;
  readonly mayAnswer?: MayAnswer | undefined;
}

/** A run, its principal and its thread. */
export type RunBy = BeginRun & As;

const as = (store: Store, { key, principal, mayAnswer }: As): Access<never> =>
  new Access<never>(
    {
      store,
      rules: { mayAnswer, visibility: 'scope' },
      principal: principal ?? { id: 'holdpoint', scope: key.scope },
    },
    key,
    'operate',
  );

export const readThread = (store: Store, key: ThreadKey) => ledger.readThread(as(store, { key }));
export const openInterrupts = (store: Store, key: ThreadKey) => ledger.openInterrupts(as(store, { key }));
export const readExecutions = (store: Store, key: ThreadKey) => ledger.readExecutions(as(store, { key }));
export const readHistory = (store: Store, key: ThreadKey) => ledger.readHistory(as(store, { key }));
export const verifyHistory = (store: Store, key: ThreadKey) => ledger.verifyHistory(as(store, { key }));
export const readInterrupt = (store: Store, key: ThreadKey, interruptId: string) =>
  ledger.readInterrupt(as(store, { key }), interruptId);
export const listInterrupts = (
  store: Store,
  { scope, ...query }: ledger.InterruptQuery & { readonly scope: string },
) => ledger.listInterrupts(ledger.operatorScope(store, scope), query);
export const lookAtThread = (store: Store, key: ThreadKey, interruptIds: readonly string[]) =>
  ledger.lookAtThread(as(store, { key }), { interruptIds });
export const beginRun = (store: Store, given: RunBy): Promise<BeginResult> => {
  const { key: _key, principal: _who, mayAnswer: _may, ...begin } = given;
  return ledger.beginRun(as(store, given), begin);
};
export const stageAnswer = (store: Store, given: StageAnswer & As) => {
  const { key: _key, principal: _who, mayAnswer: _may, ...stage } = given;
  return ledger.stageAnswer(as(store, given), stage);
};
export const askAgain = (store: Store, given: Parameters<typeof ledger.askAgain>[1] & As) =>
  ledger.askAgain(as(store, given), given);
export const pruneThread = (store: Store, key: ThreadKey, given: Parameters<typeof ledger.pruneThread>[1]) =>
  ledger.pruneThread(as(store, { key }), given);
export const dropInterrupts = (store: Store, given: DropInterrupts & As) =>
  ledger.dropInterrupts(as(store, given), given);
export const adoptInterrupts = (store: Store, given: Parameters<typeof ledger.adoptInterrupts>[1] & As) =>
  ledger.adoptInterrupts(as(store, given), given);
export { withdrawInterrupt } from '../admin/index.ts';
