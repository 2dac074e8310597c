import { createInterface } from 'node:readline';
import { sqliteStore } from '../index.ts';

// For each line that it reads, commits twenty rows, four at once, and prints the id of each that was acknowledged.
const [path = '', name = ''] = process.argv.slice(2);
const store = sqliteStore(path);

async function commitRow(id: string): Promise<void> {
  const key = { scope: 's', thread: name, id };
  try {
    const { ok } = await store.commit({ puts: [{ table: 'runs', key, doc: {}, expect: 0 }] });
    if (ok) process.stdout.write(`${id}\n`);
  } catch {
    process.stdout.write('failed\n');
  }
}

process.stdout.write('ready\n');
for await (const token of createInterface({ input: process.stdin })) {
  for (let round = 0; round < 5; round += 1) {
    const ids = Array.from({ length: 4 }, (_, lane) => `${name}-${token}-${round}-${lane}`);
    await Promise.all(ids.map(commitRow));
  }
  process.stdout.write('over\n');
}
await store.close();
