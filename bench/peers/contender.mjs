/** The process of a contender that needs no server: its library, its store and its load. */
import { Pool } from 'pg';
import { pathToFileURL } from 'node:url';
import { footprint } from './footprint.mjs';
import { createLoad } from './load.mjs';

/** Connections that a contender may use at once. */
const CONNECTIONS = 10;

/** A library is loaded where it is opened: a process has only its own. */
const CONTENDERS = {
  sqlite: {
    holdpoint: async (place) => (await import('./contenders/holdpoint.mjs')).holdpointSqlite(place),
    // Until decision 14 a commit was filed with up to 255 others: four in a cycle.
    before: async (place) => ({
      ...(await (await import('./contenders/holdpoint.mjs')).holdpointSqlite(place, before())),
      putsOffFor: 64,
    }),
    'ai-sdk': async (place) => (await import('./contenders/ai-sdk.mjs')).aiSdkSqlite(place),
    genkit: async (place) => (await import('./contenders/genkit.mjs')).genkitSqlite(place),
    langgraph: async (place) => (await import('./contenders/langgraph.mjs')).langgraphSqlite(place),
    mastra: async (place) => (await import('./contenders/mastra.mjs')).mastraLibsql(place),
    bare: async (place, written) => (await import('./contenders/bare-driver.mjs')).bareSqlite(place, written),
  },
  postgres: {
    holdpoint: async (place) => (await import('./contenders/holdpoint.mjs')).holdpointPostgres(place),
    before: async (place) => (await import('./contenders/holdpoint.mjs')).holdpointPostgres(place, before()),
    langgraph: async (place) => (await import('./contenders/langgraph.mjs')).langgraphPostgres(place),
    bare: async (place, written) =>
      (await import('./contenders/bare-driver.mjs')).barePostgres(place, written),
    pgbench: async (place, written) => (await import('./contenders/pgbench.mjs')).pgbench(place, written),
  },
};

/** The folder of another checkout, built: it is measured beside this one. */
function before() {
  return pathToFileURL(`${process.env.HOLDPOINT_BEFORE}/`);
}

export async function open({ name, place: given, written, situation }) {
  const place = given.url === undefined ? given : { ...given, ...connect(given.url) };
  const kind = given.url === undefined ? 'sqlite' : 'postgres';
  const contender = { name, ...(await CONTENDERS[kind][name](place, written)) };
  return {
    footprint: (turns) => footprint(contender, { place, turns }),
    ...(contender.createLoad ?? ((given) => createLoad(contender, given)))(situation ?? {}),
  };
}

function connect(url) {
  return {
    pool: new Pool({ connectionString: url, max: CONNECTIONS }),
    // What is not measured need not wait for the disk.
    hastyPool: new Pool({ connectionString: url, max: 1, options: '-c synchronous_commit=off' }),
  };
}
