import type { InterruptRecord, ThreadKey } from '../ledger/index.ts';
import { openQuestions, operatorAccess } from '../ledger/index.ts';
import type { Store } from '../store/index.ts';
import type { HostOptions } from './host-options.ts';

/** Tells the application of the open questions of a thread that are meant: each by itself, and nobody waits for it. */
export type TellOfQuestions = (key: ThreadKey, isMeant: (record: InterruptRecord) => boolean) => void;

/** The application's own notification. One that fails is told to `onError`, and the others are told all the same. */
export function createTeller(
  store: Store,
  onInterrupt: HostOptions['onInterrupt'],
  onError: (error: unknown, where: object) => void,
): TellOfQuestions {
  if (onInterrupt === undefined) return () => undefined;
  const tell = async (key: ThreadKey, isMeant: (record: InterruptRecord) => boolean): Promise<void> => {
    for (const record of await openQuestions(operatorAccess(store, key))) {
      if (!isMeant(record)) continue;
      try {
        await onInterrupt(record, key);
      } catch (error) {
        onError(error, { thread: key.thread, interruptId: record.interrupt.id });
      }
    }
  };
  return (key, isMeant) =>
    void tell(key, isMeant).catch((error: unknown) => onError(error, { thread: key.thread }));
}
