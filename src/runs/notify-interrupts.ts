import type { InterruptRecord, ThreadKey } from '../ledger/index.ts';
import { openInterrupts, operatorAccess } from '../ledger/index.ts';
import type { Store } from '../store/index.ts';

/** The option `onInterrupt`: called with each interrupt after it is stored. */
export type OnInterrupt = (record: InterruptRecord, thread: ThreadKey) => void | Promise<void>;

/** Notifies the application of the open interrupts of a thread that match; it does not wait for the application. */
export type NotifyInterrupts = (key: ThreadKey, isMeant: (record: InterruptRecord) => boolean) => void;

/** Calls `onInterrupt` for one interrupt after the other. A call that fails goes to `onError` and does not stop the others. */
export function createNotifier(
  store: Store,
  onInterrupt: OnInterrupt | undefined,
  onError: (error: unknown, where: object) => void,
): NotifyInterrupts {
  if (onInterrupt === undefined) return () => undefined;
  const notify = async (key: ThreadKey, isMeant: (record: InterruptRecord) => boolean): Promise<void> => {
    for (const record of await openInterrupts(operatorAccess(store, key))) {
      if (!isMeant(record)) continue;
      try {
        await onInterrupt(record, key);
      } catch (error) {
        onError(error, { thread: key.thread, interruptId: record.interrupt.id });
      }
    }
  };
  return (key, isMeant) =>
    void notify(key, isMeant).catch((error: unknown) => onError(error, { thread: key.thread }));
}
