import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Case } from '../harness/case.ts';
import { reasonOf } from '../harness/measure-line.ts';
import type { Worker } from '../harness/start-worker.ts';
import { startWorker } from '../harness/start-worker.ts';
import { SERVERS, startServer } from './http.ts';

const FINAL_TEXT = 'The transfer is done.';
const YES = { approved: true };
/** A person typed a word where the answer is a boolean. */
const BAD = { approved: 'yes' };

/** What came of one answer. */
type Outcome = { readonly text?: string; readonly error?: string };

/** A server, its client, and a thread that waits for an approval. */
interface Waiting {
  readonly account: string;
  answer(payloads: readonly object[]): Promise<Outcome[]>;
  timesRun(): Promise<number>;
  restart(): Promise<void>;
}

const SCENARIOS: Readonly<Record<string, (waiting: Waiting) => Promise<string>>> = {
  async 'two answers at the same moment'({ answer, timesRun }) {
    await answer([YES, YES]);
    return ranTimes(await timesRun());
  },
  async 'the same answer again, later'({ answer, timesRun }) {
    await answer([YES]);
    const [again] = await answer([YES]);
    return `${ranTimes(await timesRun())}; the second answer: ${wordsOf(again)}`;
  },
  async 'kill -9 while it waits, then the answer'({ answer, timesRun, restart }) {
    await restart();
    const [outcome] = await answer([YES]);
    return `${ranTimes(await timesRun())}; ${wordsOf(outcome)}`;
  },
  async 'a bad answer, then a good one'({ answer, timesRun }) {
    const [bad] = await answer([BAD]);
    const after = await timesRun();
    const [good] = await answer([YES]);
    const times = await timesRun();
    const first = bad?.text === FINAL_TEXT ? 'went on without the tool' : wordsOf(bad);
    return `bad: ${after > 0 ? '**ran the tool**' : first}; good: ${times > after ? 'ran the tool' : wordsOf(good)}`;
  },
};

export const safety: Case = {
  name: 'safety',
  title: 'what each server did with a second answer, a restart and a bad answer',
  async run(bench) {
    const folder = await bench.folder();
    const rows: Record<string, string[]> = {};
    // Nothing is timed, so the servers are tried side by side.
    const trials = SERVERS.filter(bench.wantsContender).map(async (name) => {
      const cells: string[] = [];
      rows[name] = cells;
      for (const [scenario, play] of Object.entries(SCENARIOS)) {
        bench.progress(`${name}: ${scenario}`);
        cells.push(await tryScenario({ name, folder, play }).catch(reasonOf));
      }
    });
    await Promise.all(trials);
    bench.facts({ columns: Object.keys(SCENARIOS), rows });
    bench.note(
      'Each cell was tried on the server of the case `http`, over HTTP. The tool writes each run to a file, which a crash does not lose.',
    );
    bench.note(
      'The bad answer is `{"approved": "yes"}`. Mastra’s route takes no payload: there it names a call that does not exist. LangGraph’s server keeps its threads in memory.',
    );
    bench.note(
      'Genkit has no server of its own. docs/comparison.md has the same trials with two processes, for every library.',
    );
  },
};

interface Try {
  readonly name: string;
  readonly folder: string;
  readonly play: (waiting: Waiting) => Promise<string>;
}

async function tryScenario({ name, folder, play }: Try): Promise<string> {
  const effects = join(folder, `${randomUUID()}.txt`);
  const first = await startServer(name, { folder, effects });
  let server = first.worker;
  let client = await connect(name, first.url);
  try {
    const [thread, account] = [randomUUID(), `S${randomUUID().slice(0, 8)}`];
    const interrupt = await client.call('ask', { thread, account });
    return await play({
      account,
      answer: (payloads) => client.call<Outcome[]>('answer', { thread, interrupt, payloads }),
      timesRun: () => server.call<number>('timesFor', account),
      async restart() {
        await server.kill();
        await client.stop();
        const again = await startServer(name, { folder, effects, file: first.file });
        server = again.worker;
        client = await connect(name, again.url);
      },
    });
  } finally {
    await client.stop();
    await server.stop();
  }
}

async function connect(name: string, url: string): Promise<Worker> {
  return startWorker('peers/client.mjs', { name, urls: [url] }, { limitMs: 30_000 });
}

function ranTimes(times: number): string {
  return times === 0 ? 'did not run' : times === 1 ? 'ran once' : `**ran ${times} times**`;
}

function wordsOf(outcome: Outcome | undefined): string {
  if (outcome?.text === FINAL_TEXT) return 'continued';
  const words = (outcome?.error ?? outcome?.text ?? 'nothing').replaceAll(/\s+/g, ' ');
  const code = /"code":"([A-Z_]+)"/.exec(words)?.[1] ?? /: (\d{3}) /.exec(words)?.[1];
  if (code !== undefined) return `refused (${code})`;
  return outcome?.error === undefined ? 'accepted, without a reply' : `failed (${words.slice(0, 80)})`;
}
