import Database from 'libsql';
import { createWork, inputFor } from '../../durable/scenario.mjs';
import { FINAL_TEXT } from '../../scenario.mjs';

/**
 * What the driver itself can do: so many commits in a cycle, each of so many rows and bytes, into a table without any
 * index, and nothing read. The first commit is the question, the others the answer.
 */
export function bareDriver({ file, synchronous }, { commits, rowsPerCommit, bytesPerCommit }) {
  const work = createWork();
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
    work,
    async ask(_thread, prompt) {
      commit();
      return prompt;
    },
    async answer(_thread, prompt) {
      work.run(inputFor(prompt));
      for (let done = 1; done < commits; done += 1) commit();
      return FINAL_TEXT;
    },
    connect: () => new Database(file),
    close: () => database.close(),
  };
}
