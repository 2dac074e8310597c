import { sqliteStore } from '../index.ts';

// Increments a number in the file this many times; after a conflict it reads and tries again.
const [path = '', times = '0'] = process.argv.slice(2);
const key = { scope: 's', thread: 't', id: 'counter' };
const store = sqliteStore(path);

process.stdout.write('ready\n');
await new Promise((resolve) => {
  process.stdin.once('data', resolve);
});
for (let done = 0; done < Number(times);) {
  const [row] = await store.get('runs', [key]);
  const doc = { count: Number(row?.doc['count'] ?? 0) + 1 };
  const result = await store.commit({ puts: [{ table: 'runs', key, doc, expect: row?.version ?? 0 }] });
  if (result.ok) done += 1;
}
await store.close();
process.stdin.destroy();
