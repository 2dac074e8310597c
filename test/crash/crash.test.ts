import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_POINTS } from '../../src/core/index.ts';
import { postgresStore } from 'holdpoint/store/postgres';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { createDatabase } from '../postgres/create-database.ts';
import type { Campaign } from './campaign.ts';
import { campaignFolder, startCampaign } from './campaign.ts';

const RANDOM_KILLS = Number(process.env['CRASH_KILLS'] ?? 40);
const LIMIT = 60_000 + RANDOM_KILLS * 4000;

/** A process is killed around every write and every deed, each time it passes for a while. */
async function killEverywhere(campaign: Campaign): Promise<void> {
  for (const point of FAULT_POINTS) {
    for (const hit of [1, 2, 3, 5]) {
      expect([point, hit, await campaign.crash({ at: { point, hit } })]).toEqual([point, hit, true]);
    }
  }
}

async function killAtRandom(campaign: Campaign): Promise<void> {
  for (let kill = 0; kill < RANDOM_KILLS;) {
    const point = FAULT_POINTS[Math.floor(Math.random() * FAULT_POINTS.length)] ?? 'tool:after';
    const byTime = Math.random() < 0.5;
    const at = { point, hit: 1 + Math.floor(Math.random() * 12) };
    if (await campaign.crash(byTime ? { afterMs: 100 + Math.random() * 250 } : { at })) kill += 1;
  }
}

function tell(where: string, figures: object): void {
  if (process.env['CRASH_KILLS'] !== undefined)
    process.stdout.write(`${where}: ${JSON.stringify(figures)}\n`);
}

describe('a process that is killed loses nothing and does nothing twice', () => {
  const folder = campaignFolder();
  let database: string;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const places = {
    'one SQLite file': () => {
      const place = join(folder, 'crash.db');
      return { kind: 'sqlite' as const, place, schema: '', store: sqliteStore(place) };
    },
    PostgreSQL: () => {
      const schema = 'crash';
      return {
        kind: 'postgres' as const,
        place: database,
        schema,
        store: postgresStore(database, { schema }),
      };
    },
  };

  it.each(Object.entries(places))(
    'over %s, at every named place and at random',
    async (where, open) => {
      const place = open();
      await place.store.now();
      const campaign = await startCampaign(place);
      try {
        await killEverywhere(campaign);
        await killAtRandom(campaign);
        const figures = await campaign.conclude();
        expect(figures.kills).toBeGreaterThanOrEqual(RANDOM_KILLS + FAULT_POINTS.length * 4);
        expect(figures.doubts).toBeGreaterThan(0);
        tell(where, figures);
      } finally {
        campaign.dispose();
        await place.store.close();
      }
    },
    LIMIT,
  );
});
