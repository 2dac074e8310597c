import Database from 'libsql';
import { createWork, FINAL_TEXT, inputFor } from '../scenario.mjs';

/**
 * The driver alone: a cycle makes the given commits, rows and bytes in a table without an index and reads nothing. The first commit is the
 * interrupt, the others the answer.
 */
export function bareSqlite({ file, synchronous }, { commits, rowsPerCommit, bytesPerCommit }) {
  const database = new Database(file);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  database.exec('CREATE TABLE bare (id INTEGER PRIMARY KEY, doc TEXT NOT NULL)');
  const insert = database.prepare('INSERT INTO bare (doc) VALUES (?)');
  const doc = 'x'.repeat(Math.round(bytesPerCommit / rowsPerCommit));
  const commit = database.transaction(() => {
    for (let row = 0; row < rowsPerCommit; row += 1) insert.run(doc);
  });
  return {
    ...bareContender(commits, async () => commit()),
    connect: () => new Database(file),
  };
}

/** The same on PostgreSQL: a commit is one prepared statement and one round trip. */
export async function barePostgres({ pool }, { commits, rowsPerCommit, bytesPerCommit }) {
  await pool.query(
    'CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, doc text NOT NULL)',
  );
  const text = 'INSERT INTO bare (doc) SELECT $1 FROM generate_series(1, $2::int)';
  const values = ['x'.repeat(Math.round(bytesPerCommit / rowsPerCommit)), rowsPerCommit];
  const commit = () => pool.query({ name: 'bare', text, values });
  return bareContender(commits, commit);
}

function bareContender(commits, commit) {
  const work = createWork();
  return {
    work,
    async ask(_thread, prompt) {
      await commit();
      return prompt;
    },
    async answer(_thread, prompt) {
      work.run(inputFor(prompt));
      for (let done = 1; done < commits; done += 1) await commit();
      return FINAL_TEXT;
    },
  };
}
