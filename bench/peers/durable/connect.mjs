import { Pool } from 'pg';

/** Connections that a contender may use at once, theirs and ours. */
const CONNECTIONS = 10;

/** A place as a contender uses it: a SQLite file as it is, a database with connections to it. */
export function connect(place) {
  const { url } = place;
  if (url === undefined) return place;
  return {
    pool: new Pool({ connectionString: url, max: CONNECTIONS }),
    // What is not measured need not wait for the disk.
    hastyPool: new Pool({ connectionString: url, max: 1, options: '-c synchronous_commit=off' }),
  };
}
