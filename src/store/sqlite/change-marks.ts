import type { Change } from '../store.ts';
import type { Connection } from './connection.ts';
import { fromStored } from './stored-text.ts';

const MARK = `INSERT OR REPLACE INTO rows (place, scope, thread, tbl, id, version, doc)
  VALUES (?, ?, ?, 'changes', '', 0, '')`;

/**
 * Who has slept while the journal was written over finds what has changed by what lies at the end of the file; where a
 * change leaves nothing there, it gets a mark. A thread has one mark, its last. Its names are as they are stored.
 */
export function markChange(connection: Connection, { scope, thread }: Change, place: number): void {
  connection.run(MARK, [place, scope, thread]);
}

const SELECT_CHANGED = `SELECT max(place), scope, thread FROM rows WHERE place > ? AND thread <> ''
  GROUP BY scope, thread`;

/** The threads of which something lies after this place. */
export function selectChanged(connection: Connection, place: number): Change[] {
  return connection.all(SELECT_CHANGED, [place]).map(([, scope, thread]) => ({
    scope: fromStored(String(scope)),
    thread: fromStored(String(thread)),
  }));
}
