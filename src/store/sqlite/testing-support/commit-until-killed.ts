import { sqliteStore } from '../index.ts';

// Commits a row and a log item at a time, eight at once, and prints the number of each that is on disk.
const [path = ''] = process.argv.slice(2);
const store = sqliteStore(path);

async function commitFrom(first: number): Promise<never> {
  for (let number = first; ; number += 8) {
    const key = { scope: 's', thread: 't', id: String(number) };
    await store.commit({
      puts: [{ table: 'runs', key, doc: { number, padding: 'x'.repeat(2000) }, index: { status: 'open' } }],
      appends: [{ log: 'events', scope: 's', thread: 't', items: [number] }],
    });
    process.stdout.write(`${number}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, lane) => commitFrom(lane)));
