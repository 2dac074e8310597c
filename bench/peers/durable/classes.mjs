// A contender is loaded where it is opened: a process has only its own.
const holdpoint = () => import('../contenders/durable/holdpoint.mjs');
const aiSdk = () => import('../contenders/durable/ai-sdk.mjs');
const langgraph = () => import('../contenders/durable/langgraph.mjs');
const mastra = () => import('../contenders/durable/mastra.mjs');
const bare = () => import('../contenders/durable/bare-driver.mjs');

/** Who meets whom: only those whose commits are as safe as each other's. Mastra always sets NORMAL. */
export const CLASSES = {
  'SQLite NORMAL': {
    synchronous: 'NORMAL',
    contenders: {
      holdpoint: async (place) => (await holdpoint()).holdpointSqlite(place),
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
      'ai-sdk': async (place) => (await aiSdk()).aiSdkSqlite(place),
      langgraph: async (place) => (await langgraph()).langgraphSqlite(place),
      bare: async (place, written) => (await bare()).bareSqlite(place, written),
    },
  },
  PostgreSQL: {
    contenders: {
      holdpoint: async (place) => (await holdpoint()).holdpointPostgres(place),
      langgraph: async (place) => (await langgraph()).langgraphPostgres(place),
      bare: async (place, written) => (await bare()).barePostgres(place, written),
    },
  },
};

/**
 * The lines of each class, with the milliseconds after which nobody's rate rises much any more, and how many rounds
 * there are at most: a line with a budget takes more of both. The bare driver knows no history.
 */
export const SITUATIONS = [
  { name: 'fresh thread', turns: 0, inFlight: 1, warmUp: 2_000, rounds: 9 },
  { name: '64 in flight', turns: 0, inFlight: 64, warmUp: 1_000, rounds: 5 },
  { name: '100 turns', turns: 100, inFlight: 1, warmUp: 1_000, rounds: 3 },
  { name: '500 turns', turns: 500, inFlight: 1, warmUp: 1_000, rounds: 3 },
];

/** Ours a second time, one cycle after the other beside the many: what sharing a commit brings is seen within a round. */
export const ONE_BY_ONE = 'holdpoint, one by one';

/** Who reads the figures has to know which driver they are from. */
export const DRIVER_NOTE =
  'NOTE: LangGraph’s SqliteSaver asks for better-sqlite3 12, which is on npm without binaries; it gets 13, which has them.';

/** What the bare driver writes while nothing of ours was measured. */
export const ASSUMED_FOOTPRINT = { commits: 3, rows: 12, bytes: 6_000 };
