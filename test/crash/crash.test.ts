import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../src/core/index.ts';
import { FAULT_POINTS } from '../../src/core/index.ts';
import { createDatabase } from '../postgres/create-database.ts';
import { createRandom, IS_DEEP, runs, showProgress } from '../size.ts';
import type { Campaign } from './campaign.ts';
import { anyPoint, campaignFolder, startCampaign } from './campaign.ts';
import { REPLACEMENTS } from './replace-file.ts';

const RANDOM_KILLS = runs(4);
const HITS = IS_DEEP ? [1, 2, 3, 5] : [2];
const LIMIT = 120_000 + RANDOM_KILLS * 8000;
const KILLS_PER_REPLACEMENT = 16;
const REPLACED_EACH = Math.ceil(runs(1) / 50);

/** Every named point on both stores; in `npm test` each point on one of them. */
function pointsOf(where: string): readonly FaultPoint[] {
  return FAULT_POINTS.filter(
    (_point, index) => IS_DEEP || ((index + Math.floor(index / 2)) % 2 === 0) === (where === SQLITE),
  );
}

/** Kills a process around every write and every effect; in the deep run at several passes of each point. */
async function killEverywhere(campaign: Campaign, where: string): Promise<void> {
  let kills = 0;
  const points = pointsOf(where);
  for (const point of points) {
    for (const hit of HITS) {
      expect([point, hit, await campaign.crash({ at: { point, hit } })]).toEqual([point, hit, true]);
      showProgress('Processes killed at named points', (kills += 1), points.length * HITS.length);
    }
  }
}

/** Kills at drawn points; in the deep run also at drawn moments, which no seed repeats, and replaces the SQLite file in between. */
async function killAtRandom(campaign: Campaign, where: string): Promise<void> {
  const random = createRandom(`kills over ${where}`);
  const replaces = where === SQLITE && IS_DEEP;
  for (let kill = 0; kill < RANDOM_KILLS;) {
    const at = { point: anyPoint(random), hit: 1 + Math.floor(random() * 12) };
    const afterMs = 100 + random() * 250;
    if (await campaign.crash(IS_DEEP && random() < 0.5 ? { afterMs } : { at })) kill += 1;
    if (replaces && kill % KILLS_PER_REPLACEMENT === 0)
      await campaign.replace(
        REPLACEMENTS[(kill / KILLS_PER_REPLACEMENT) % REPLACEMENTS.length] ?? 'restored',
      );
    showProgress(`Processes killed over ${where}`, kill, RANDOM_KILLS);
  }
}

const SQLITE = 'one SQLite file';
const folder = campaignFolder();
let database: string;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('killed processes', () => {
  const places = {
    [SQLITE]: () => ({ kind: 'sqlite' as const, place: join(folder, 'crash.db'), schema: '' }),
    PostgreSQL: () => ({ kind: 'postgres' as const, place: database, schema: 'crash' }),
  };

  it.each(Object.entries(places))(
    'lose no acknowledged write and run no call twice over %s, killed at every named point and at random',
    async (where, placeOf) => {
      const campaign = await startCampaign(placeOf());
      try {
        await killEverywhere(campaign, where);
        await killAtRandom(campaign, where);
        const figures = await campaign.conclude();
        expect(figures.kills).toBeGreaterThanOrEqual(RANDOM_KILLS + pointsOf(where).length * HITS.length);
        const { replacements, unknownToBackup: _any, backups, ...others } = figures;
        for (const [what, many] of Object.entries(others)) expect([what, many > 0]).toEqual([what, true]);
        expect([backups > 0, replacements > 0]).toEqual([where === SQLITE, where === SQLITE && IS_DEEP]);
        if (IS_DEEP) process.stdout.write(`Over ${where}: ${JSON.stringify(figures)}\n`);
      } finally {
        await campaign.dispose();
      }
    },
    LIMIT,
  );
});

describe('a SQLite file that is replaced while three processes answer the same interrupts', () => {
  it.each(IS_DEEP ? REPLACEMENTS : (['restored', 'moved'] as const))(
    'is %s: each goes on with the new file, and no call runs twice that the backup knows',
    async (kind) => {
      const place = join(folder, `${kind}.db`);
      const campaign = await startCampaign({ kind: 'sqlite', place, schema: '' });
      try {
        for (let round = 0; round < REPLACED_EACH; round += 1) {
          await campaign.replace(kind);
          showProgress(`Files ${kind}`, round + 1, REPLACED_EACH);
        }
        await campaign.conclude();
      } finally {
        await campaign.dispose();
      }
    },
    LIMIT,
  );
});
