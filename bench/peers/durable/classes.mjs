import { pathToFileURL } from 'node:url';

// A contender is loaded where it is opened: a process has only its own.
const holdpoint = () => import('../contenders/durable/holdpoint.mjs');
const aiSdk = () => import('../contenders/durable/ai-sdk.mjs');
const langgraph = () => import('../contenders/durable/langgraph.mjs');
const mastra = () => import('../contenders/durable/mastra.mjs');
const bare = () => import('../contenders/durable/bare-driver.mjs');

/** The folder of another checkout, built: `before` is then measured beside `holdpoint`. */
const before = process.env.HOLDPOINT_BEFORE;
const ofBefore = (open) =>
  before === undefined
    ? {}
    : { before: async (place) => open(await holdpoint(), place, pathToFileURL(`${before}/`)) };
// Until decision 14 a commit was filed with up to 255 others: four in a cycle.
const sqliteBefore = ofBefore(async ({ holdpointSqlite }, place, root) => ({
  ...(await holdpointSqlite(place, root)),
  putsOffFor: 64,
}));
const postgresBefore = ofBefore(({ holdpointPostgres }, place, root) => holdpointPostgres(place, root));

/** The contenders of each class: their commits are equally safe. Mastra always sets NORMAL. */
export const CLASSES = {
  'SQLite NORMAL': {
    synchronous: 'NORMAL',
    contenders: {
      holdpoint: async (place) => (await holdpoint()).holdpointSqlite(place),
      ...sqliteBefore,
      'ai-sdk': async (place) => (await aiSdk()).aiSdkSqlite(place),
      langgraph: async (place) => (await langgraph()).langgraphSqlite(place),
      mastra: async (place) => (await mastra()).mastraLibsql(place),
      bare: async (place, written) => (await bare()).bareSqlite(place, written),
    },
  },
  'SQLite FULL': {
    synchronous: 'FULL',
    oneBesideMany: true,
    contenders: {
      holdpoint: async (place) => (await holdpoint()).holdpointSqlite(place),
      ...sqliteBefore,
      'ai-sdk': async (place) => (await aiSdk()).aiSdkSqlite(place),
      langgraph: async (place) => (await langgraph()).langgraphSqlite(place),
      bare: async (place, written) => (await bare()).bareSqlite(place, written),
    },
  },
  PostgreSQL: {
    contenders: {
      holdpoint: async (place) => (await holdpoint()).holdpointPostgres(place),
      ...postgresBefore,
      langgraph: async (place) => (await langgraph()).langgraphPostgres(place),
      bare: async (place, written) => (await bare()).barePostgres(place, written),
    },
  },
};

/**
 * The lines of each class, with the warm-up in milliseconds and the maximum number of rounds; lines with a budget have more of both. The
 * bare driver has no history.
 */
export const SITUATIONS = [
  { name: 'fresh thread', turns: 0, inFlight: 1, warmUp: 2_000, rounds: 9 },
  { name: '64 in flight', turns: 0, inFlight: 64, warmUp: 1_000, rounds: 5 },
  { name: '100 turns', turns: 100, inFlight: 1, warmUp: 1_000, rounds: 3 },
  { name: '500 turns', turns: 500, inFlight: 1, warmUp: 1_000, rounds: 3 },
];

/** Ours again with one cycle in flight, to compare it with many in the same round. */
export const ONE_BY_ONE = 'holdpoint, one by one';

/** The driver, for the table. */
export const DRIVER_NOTE =
  'NOTE: LangGraph’s SqliteSaver asks for better-sqlite3 12, which is on npm without binaries; it gets 13, which has them.';

/** The writes of the bare driver if ours was not measured. */
export const ASSUMED_FOOTPRINT = { commits: 3, rows: 12, bytes: 6_000 };
