import { describe, expect, it } from 'vitest';
import { groupTransactions } from './sqlite/commit-batches.ts';
import type { LibsqlDatabase } from './sqlite/driver.ts';
import { Connection, loadLibsql } from './sqlite/driver.ts';

/** A real database in memory that takes down what it is told to do outside of prepared statements. */
function recordedDatabase(): { readonly connection: Connection; readonly said: string[] } {
  const libsql = loadLibsql();
  const database = new libsql(':memory:');
  const said: string[] = [];
  const recorded: LibsqlDatabase = {
    get inTransaction() {
      return database.inTransaction;
    },
    prepare: (sql) => database.prepare(sql),
    exec(sql) {
      said.push(sql);
      database.exec(sql);
    },
    close: () => database.close(),
  };
  database.exec('CREATE TABLE numbers (number INTEGER PRIMARY KEY)');
  return { connection: new Connection(recorded), said };
}

const insert = (connection: Connection, number: number) => () => {
  connection.run('INSERT INTO numbers VALUES (?)', [number]);
  return number;
};

describe('a group commit', () => {
  it('writes all jobs of one turn in one transaction', async () => {
    const { connection, said } = recordedDatabase();
    const group = groupTransactions(connection, 0);
    await Promise.all([1, 2, 3].map((number) => group.run(insert(connection, number))));
    expect(said).toEqual(['BEGIN IMMEDIATE', 'COMMIT']);
    connection.close();
  });

  it('writes each job by itself if one fails, so that only that job fails', async () => {
    const { connection } = recordedDatabase();
    const group = groupTransactions(connection, 0);
    const results = await Promise.allSettled(
      [1, 2, 2, 3].map((number) => group.run(insert(connection, number))),
    );
    expect(results).toMatchObject([
      { value: 1 },
      { value: 2 },
      { reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } },
      { value: 3 },
    ]);
    expect(connection.all('SELECT number FROM numbers')).toEqual([[1], [2], [3]]);
    connection.close();
  });

  it('writes many jobs in several transactions, in order', async () => {
    const { connection, said } = recordedDatabase();
    const group = groupTransactions(connection, 0);
    const numbers = Array.from({ length: 600 }, (_, number) => number);
    expect(await Promise.all(numbers.map((number) => group.run(insert(connection, number))))).toEqual(
      numbers,
    );
    expect(said.filter((sql) => sql === 'COMMIT')).toHaveLength(3);
    connection.close();
  });

  it('finish resolves when all earlier jobs are written', async () => {
    const { connection } = recordedDatabase();
    const group = groupTransactions(connection, 0);
    await group.finish();
    const last = group.run(insert(connection, 1));
    await group.finish();
    expect(connection.number('SELECT count(*) FROM numbers')).toBe(1);
    expect(await last).toBe(1);
    connection.close();
  });
});
