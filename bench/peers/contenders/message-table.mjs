import Database from 'libsql';

/** The table of a caller whose library has no store: it reads the messages of a thread and appends the new ones in one transaction. */
export function openMessages(file, synchronous) {
  const database = new Database(file);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  database.exec(
    'CREATE TABLE IF NOT EXISTS messages (thread TEXT, seq INTEGER, json TEXT, PRIMARY KEY (thread, seq)) WITHOUT ROWID',
  );
  const select = database.prepare('SELECT json FROM messages WHERE thread = ? ORDER BY seq').raw();
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?, ?)');
  const append = database.transaction((thread, start, added) => {
    added.forEach((message, index) => insert.run(thread, start + index, JSON.stringify(message)));
  });
  return {
    read: (thread) => select.all(thread).map(([json]) => JSON.parse(json)),
    append,
    connect: () => new Database(file),
  };
}
