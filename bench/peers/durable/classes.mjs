import { aiSdkSqlite } from '../contenders/durable/ai-sdk.mjs';
import { barePostgres, bareSqlite } from '../contenders/durable/bare-driver.mjs';
import { holdpointPostgres, holdpointSqlite } from '../contenders/durable/holdpoint.mjs';
import { langgraphPostgres, langgraphSqlite } from '../contenders/durable/langgraph.mjs';
import { mastraLibsql } from '../contenders/durable/mastra.mjs';

/** Who meets whom: only those whose commits are as safe as each other's. Mastra always sets NORMAL. */
export const CLASSES = {
  'SQLite NORMAL': {
    synchronous: 'NORMAL',
    contenders: {
      holdpoint: holdpointSqlite,
      'ai-sdk': aiSdkSqlite,
      langgraph: langgraphSqlite,
      mastra: mastraLibsql,
      bare: bareSqlite,
    },
  },
  'SQLite FULL': {
    synchronous: 'FULL',
    contenders: {
      holdpoint: holdpointSqlite,
      'ai-sdk': aiSdkSqlite,
      langgraph: langgraphSqlite,
      bare: bareSqlite,
    },
  },
  PostgreSQL: {
    contenders: { holdpoint: holdpointPostgres, langgraph: langgraphPostgres, bare: barePostgres },
  },
};

/** The lines of each class. The bare driver knows no history. */
export const SITUATIONS = [
  { name: 'fresh thread', turns: 0, inFlight: 1 },
  { name: '64 in flight', turns: 0, inFlight: 64 },
  { name: '100 turns', turns: 100, inFlight: 1 },
  { name: '500 turns', turns: 500, inFlight: 1 },
];

/** Who reads the figures has to know which driver they are from. */
export const DRIVER_NOTE =
  'NOTE: LangGraph’s SqliteSaver asks for better-sqlite3 12, which is on npm without binaries; it gets 13, which has them.';

/** What the bare driver writes while nothing of ours was measured. */
export const ASSUMED_FOOTPRINT = { commits: 3, rows: 12, bytes: 6_000 };
