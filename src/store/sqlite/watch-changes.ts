import { Listeners } from '../listeners.ts';
import type { Change } from '../store.ts';
import { fromStored } from '../stored-text.ts';
import type { Connection } from './driver.ts';

const SELECT_ENDS = 'SELECT min(number), max(number) FROM changes';
const SELECT_SINCE = `SELECT scope, thread FROM changes WHERE number > ?1 AND thread <> '' ORDER BY number`;
const SELECT_ALL = 'SELECT scope, thread FROM threads';

/** The last connection, its data version, and the last change that was read. */
interface Asked {
  readonly connection: Connection;
  readonly version: number;
  readonly last: number;
}

/**
 * The listeners of one store. While there are any, checks regularly whether another connection has written. Does not
 * keep the process alive.
 */
export function createListeners(connection: () => Connection | undefined, pollIntervalMs: number): Listeners {
  const listeners = new Listeners({
    start() {
      // A file that cannot be read yet counts from its first change.
      let { asked } = readChanges(connection(), undefined);
      const timer = setInterval(() => {
        const read = readChanges(connection(), asked);
        asked = read.asked;
        listeners.tell(read.changes);
      }, pollIntervalMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  });
  return listeners;
}

/** The commits since `before`; without it, only the current end of the changes. */
function readChanges(
  connection: Connection | undefined,
  before: Asked | undefined,
): { readonly changes: readonly Change[]; readonly asked: Asked | undefined } {
  const nothing = { changes: [], asked: before };
  if (connection === undefined) return nothing;
  try {
    // Read first, so that a commit in between gives another version next time.
    const version = connection.number('PRAGMA data_version');
    if (before?.connection === connection && before.version === version) return nothing;
    const [first = null, last = null] = connection.row(SELECT_ENDS) ?? [];
    const asked = { connection, version, last: Number(last ?? 0) };
    if (before === undefined) return { changes: [], asked };
    // Another file, or removed changes: any thread may have changed.
    const isComplete = before.connection === connection && Number(first ?? 0) <= before.last + 1;
    const rows = isComplete ? connection.all(SELECT_SINCE, [before.last]) : connection.all(SELECT_ALL);
    const found = new Map(
      rows.map(([scope, thread]) => [JSON.stringify([scope, thread]), toChange(scope, thread)]),
    );
    return { changes: [...found.values()], asked };
  } catch {
    // A commit or read reports the error; here the next turn tries again.
    return nothing;
  }
}

function toChange(scope: unknown, thread: unknown): Change {
  return { scope: fromStored(String(scope)), thread: fromStored(String(thread)) };
}
