import { messageOf } from '../../core/index.ts';
import { isPostgres } from '../open-store.ts';
import type { Finding } from './finding.ts';
import { bad, good } from './finding.ts';

/** How the packages of the databases are loaded. */
export interface DriverLoaders {
  readonly libsql: () => Promise<unknown>;
  readonly pg: () => Promise<unknown>;
}

const LOADERS: DriverLoaders = { libsql: () => import('libsql'), pg: () => import('pg') };

/** Whether the package is there that this kind of database needs; that of the other kind may be missing. */
export async function driverFinding(database: string, loaders = LOADERS): Promise<Finding> {
  const [name, kind] = isPostgres(database)
    ? (['pg', 'PostgreSQL'] as const)
    : (['libsql', 'SQLite'] as const);
  try {
    await loaders[name]();
    return good(name, 'loads');
  } catch (error) {
    const [sentence = ''] = messageOf(error).split('\n');
    return bad(name, sentence, `Run \`npm install ${name}\` where the command runs; ${kind} needs it.`);
  }
}
