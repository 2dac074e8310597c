import { basename, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createDatabase } from '../postgres/create-database.ts';
import type { Program } from './processes.ts';
import { bundleProgram } from './processes.ts';
import type { StorePlace } from './store-place.ts';

export interface UsedProgram {
  readonly program: () => Program;
  /** A place for the tests of each store, by its name in their titles. */
  readonly places: Readonly<Record<'one SQLite file' | 'PostgreSQL', () => StorePlace>>;
}

/** Bundles `child.ts` of a folder before the tests of a file, removes it after them, and gives each store a place. */
export function useProgram(folder: string): UsedProgram {
  let used: { readonly program: Program; readonly database: string } | undefined;
  beforeAll(async () => {
    const [program, database] = await Promise.all([
      bundleProgram(join(folder, 'child.ts')),
      createDatabase(),
    ]);
    used = { program, database };
  });
  afterAll(() => used?.program.dispose());
  const ready = () => {
    if (used === undefined) throw new Error('The program is bundled when the tests begin.');
    return used;
  };
  const name = basename(folder).replaceAll('-', '_');
  return {
    program: () => ready().program,
    places: {
      'one SQLite file': () => ({ kind: 'sqlite', place: join(ready().program.folder, `${name}.db`) }),
      PostgreSQL: () => ({ kind: 'postgres', place: ready().database, schema: name }),
    },
  };
}
