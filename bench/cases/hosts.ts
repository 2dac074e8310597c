import type { Case } from '../harness/case.ts';
import type { Open } from '../harness/measure-line.ts';
import { ratio } from '../harness/results.ts';
import type { Worker } from '../harness/start-worker.ts';
import { startWorker } from '../harness/start-worker.ts';
import type { Footprint } from './durable.ts';
import { createPlaces, openContender, perCommit, startPostgres } from './durable.ts';
import { startServer } from './http.ts';

const SITUATION = { inFlight: 64, warmUp: 1_500, slice: 1_000 };

export const hosts: Case = {
  name: 'hosts',
  title: 'whole approvals over HTTP on 1, 2 and 4 host processes with one PostgreSQL, 64 in flight',
  async run(bench) {
    const postgres = await startPostgres();
    try {
      const folder = await bench.folder();
      bench.progress('counts what an approval writes');
      const written = await footprintOf(postgres, folder);
      bench.note(
        `An approval over HTTP writes ${written.commits.toFixed(1)} commits, ${written.rows.toFixed(1)} rows and ${Math.round(written.bytes)} bytes; pgbench writes as much, over 64 connections.`,
      );
      const place = createPlaces(postgres, folder, 'FULL');
      const line = await bench.measure({
        name: '64 in flight',
        unit: 'approvals/s',
        better: 'more',
        durability: 'PostgreSQL, synchronous_commit on',
        contenders: {
          '1 host': openHosts(1, { postgres, folder }),
          '2 hosts': openHosts(2, { postgres, folder }),
          '4 hosts': openHosts(4, { postgres, folder }),
          pgbench: openContender('pgbench', { place, situation: SITUATION, written: perCommit(written) }),
        },
        limitMs: 25_000,
      });
      for (const count of ['2 hosts', '4 hosts']) {
        const value = ratio(line, count, '1 host');
        bench.budget({ text: `64 in flight: ${count} to one`, value, atLeast: 0.9, unit: '×' });
      }
    } finally {
      await postgres.stop();
    }
  },
};

interface Places {
  readonly postgres: Worker;
  readonly folder: string;
}

/** So many hosts on one database; each request of the load goes to the next host. */
function openHosts(count: number, { postgres, folder }: Places): Open {
  return async () => {
    const started: Worker[] = [];
    const stop = async () => {
      for (const worker of started.toReversed()) await worker.stop();
    };
    try {
      const url = await postgres.call<string>('create');
      const urls: string[] = [];
      for (let host = 0; host < count; host += 1) {
        const { worker, url: address } = await startServer('holdpoint', { folder, url });
        started.push(worker);
        urls.push(address);
      }
      const load = await startWorker('peers/client.mjs', { name: 'holdpoint', urls, situation: SITUATION });
      started.push(load);
      return { warmUp: () => load.call('warmUp'), slice: () => load.call<number>('slice'), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  };
}

async function footprintOf(postgres: Worker, folder: string): Promise<Footprint> {
  const url = await postgres.call<string>('create');
  const { worker: server, url: address } = await startServer('holdpoint', { folder, url });
  try {
    const load = await startWorker('peers/client.mjs', { name: 'holdpoint', urls: [address] });
    try {
      return await load.call<Footprint>('footprint', url);
    } finally {
      await load.stop();
    }
  } finally {
    await server.stop();
  }
}
