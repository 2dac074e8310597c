import { loadLibsql } from '../driver.ts';

// Holds the write lock of the file until its standard input ends.
const [path = ''] = process.argv.slice(2);
const libsql = loadLibsql();
const database = new libsql(path);
database.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
process.stdin.resume();
process.stdin.once('end', () => {
  database.exec('ROLLBACK');
  database.close();
});
