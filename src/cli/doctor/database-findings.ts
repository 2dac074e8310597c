import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import type { Call } from '../command.ts';
import { databaseOf, isMissing, isPostgres, openStore, shownDatabase } from '../open-store.ts';
import type { Finding } from './finding.ts';
import { bad, good } from './finding.ts';

/** Milliseconds that two clocks may be apart. */
const SMALL_SKEW = 2000;

/** Whether the database is there and opens, and what it says; one that is not there is not made. */
export async function databaseFindings(call: Call): Promise<readonly Finding[]> {
  const database = databaseOf(call);
  const place = isPostgres(database) ? [] : [folderFinding(database)];
  if (isMissing(database)) {
    const next = 'Make it with `holdpoint migrate` or `holdpoint demo`, or give another --db.';
    return [...place, bad('database', `there is no database at ${database} yet`, next)];
  }
  try {
    const store = await openStore(call);
    try {
      const opens = good('database', `${shownDatabase(call)} opens, its schema fits`);
      return [...place, opens, await clockFinding(store), await threadsFinding(store)];
    } finally {
      await store.close();
    }
  } catch (error) {
    const next = isPostgres(database)
      ? 'Check the address, the user and that it is running.'
      : 'Check the path and who may write there.';
    return [...place, bad('database', messageOf(error), next)];
  }
}

function folderFinding(database: string): Finding {
  const place = dirname(resolve(database));
  try {
    accessSync(place, constants.W_OK);
    return good('place', `${place} can be written`);
  } catch {
    return bad('place', `${place} cannot be written`, 'Give another --db.');
  }
}

async function clockFinding(store: Store): Promise<Finding> {
  const before = Date.now();
  const skew = Math.abs((await store.now()) - (before + Date.now()) / 2);
  if (skew < SMALL_SKEW) return good('clock', `${Math.round(skew)} ms apart from the database`);
  const next = 'Set the time of both machines by the network (NTP); leases go by the database.';
  return bad('clock', `${Math.round(skew / 1000)} s apart from the database`, next);
}

async function threadsFinding(store: Store): Promise<Finding> {
  const { rows } = await store.list({ table: 'threads', status: ['failed'], limit: 100 });
  if (rows.length === 0) return good('threads', 'none was given up');
  const next = 'Look at them in the inbox; POST /threads/<id>/continue tries again.';
  return bad('threads', `${rows.length} were tried five times and given up`, next);
}
