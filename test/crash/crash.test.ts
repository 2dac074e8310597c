import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_POINTS } from '../../src/core/index.ts';
import { postgresStore } from 'holdpoint/store/postgres';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { createDatabase } from '../postgres/create-database.ts';
import { createRandom, IS_DEEP, runs, showProgress } from '../size.ts';
import type { Campaign } from './campaign.ts';
import { anyPoint, campaignFolder, startCampaign } from './campaign.ts';

const RANDOM_KILLS = runs(4);
const HITS = IS_DEEP ? [1, 2, 3, 5] : [2];
const LIMIT = 120_000 + RANDOM_KILLS * 8000;

/** A process is killed around every write and every deed; in the deep run each time it passes for a while. */
async function killEverywhere(campaign: Campaign): Promise<void> {
  let kills = 0;
  for (const point of FAULT_POINTS) {
    for (const hit of HITS) {
      expect([point, hit, await campaign.crash({ at: { point, hit } })]).toEqual([point, hit, true]);
      showProgress('Processes killed at named places', (kills += 1), FAULT_POINTS.length * HITS.length);
    }
  }
}

/** In `npm test` at drawn places; in the deep run also at drawn moments, which no seed repeats. */
async function killAtRandom(campaign: Campaign, where: string): Promise<void> {
  const random = createRandom(`kills over ${where}`);
  for (let kill = 0; kill < RANDOM_KILLS;) {
    const at = { point: anyPoint(random), hit: 1 + Math.floor(random() * 12) };
    const afterMs = 100 + random() * 250;
    if (await campaign.crash(IS_DEEP && random() < 0.5 ? { afterMs } : { at })) kill += 1;
    showProgress(`Processes killed over ${where}`, kill, RANDOM_KILLS);
  }
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
        await killAtRandom(campaign, where);
        const figures = await campaign.conclude();
        expect(figures.kills).toBeGreaterThanOrEqual(RANDOM_KILLS + FAULT_POINTS.length * HITS.length);
        for (const [what, many] of Object.entries(figures)) {
          if (what !== 'backups' || place.kind === 'sqlite') expect([what, many > 0]).toEqual([what, true]);
        }
        if (IS_DEEP) process.stdout.write(`Over ${where}: ${JSON.stringify(figures)}\n`);
      } finally {
        campaign.dispose();
        await place.store.close();
      }
    },
    LIMIT,
  );
});
