/**
 * Counts the files of `src` that one request executes: a run that ends in an interrupt, on a warm host with SQLite.
 * `npx tsx --conditions=holdpoint-source scripts/count-request-files.ts` prints the files in the order of their first use, as far
 * as store calls and the model's turn divide the request, and exits with 1 when there are more than {@link LIMIT}.
 */
import { Session } from 'node:inspector';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineAgent, defineTool } from 'holdpoint';
import type { ChatModel, Store } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { z } from 'zod';

const LIMIT = 90;
const SOURCE = fileURLToPath(new URL('../src/', import.meta.url));

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

const inspector = new Session();
inspector.connect();

/** Calls a method of the inspector; in the same thread its answer comes before `post` returns. */
function call(method: string, options: object = {}): unknown {
  let answer: unknown;
  inspector.post(method, options, (error, result) => {
    if (error !== null) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

/** The files of `src` with a function that ran since the last call. */
function filesRun(): string[] {
  const { result } = call('Profiler.takePreciseCoverage') as Coverage;
  return result
    .filter(
      ({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => ranges[0]?.count),
    )
    .map(({ url }) => fileURLToPath(url))
    .filter((path) => path.startsWith(SOURCE))
    .map((path) => path.slice(SOURCE.length));
}

/** The files in the order of their first use. */
const seen = new Set<string>();
const phases: { readonly name: string; readonly files: readonly string[] }[] = [];
let isCounting = false;
function mark(name: string): void {
  if (!isCounting) return;
  const files = filesRun().filter((file) => !seen.has(file));
  for (const file of files) seen.add(file);
  if (files.length > 0) phases.push({ name, files: files.toSorted() });
}

/** A store whose calls divide the request into phases. */
function marked(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        mark(`before store.${String(name)}`);
        return Reflect.apply(member, target, given);
      };
    },
  });
}

const folder = await mkdtemp(join(tmpdir(), 'holdpoint-count-'));
const store = sqliteStore(join(folder, 'count.db'));
const sendEmail = defineTool({
  name: 'sendEmail',
  description: 'Sends an e-mail.',
  input: z.object({ to: z.string() }),
  approval: { editable: true },
  run: () => ({ sent: true }),
});
const model: ChatModel = {
  async *stream() {
    mark('before the model');
    yield { type: 'tool-call', callId: 'call', name: 'sendEmail', input: '{"to":"a@b.c"}' };
    yield { type: 'finish', reason: 'tool-calls' };
  },
};
const agent = defineAgent({ id: 'assistant', model, tools: [sendEmail] });
const host = createHost({ agents: [agent], store: marked(store), logger: false, sweepMs: 0 });

async function run(threadId: string): Promise<string> {
  const messages = [{ id: `${threadId}-m`, role: 'user', content: 'go' }];
  const input = {
    threadId,
    runId: `${threadId}-r`,
    messages,
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
  };
  const response = await host.fetch(
    new Request('http://localhost/agents/assistant', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    }),
  );
  return response.text();
}

call('Profiler.enable');
call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await run('warm-1');
await run('warm-2');
filesRun();
isCounting = true;
const text = await run('counted');
mark('the rest');
isCounting = false;
if (!text.includes('"type":"interrupt"')) throw new Error(`The run did not end in an interrupt: ${text}`);
await host.close();
await store.close();
await rm(folder, { recursive: true });

for (const { name, files } of phases) console.log(`${name}\n  ${files.join('\n  ')}`);
console.log(`${seen.size} files of src (at most ${LIMIT})`);
if (seen.size > LIMIT) process.exitCode = 1;
