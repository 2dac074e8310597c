// The host of the app, on PostgreSQL. Several instances of the app may run on one database.
import { createHost } from 'holdpoint/host';
import { postgresStore } from 'holdpoint/store/postgres';
import { agent } from './agent.mjs';

let host;

/** Creates the host with the first request: a build runs without a database. */
export function getHost() {
  host ??= createHost({
    agents: [agent],
    store: postgresStore(process.env.DATABASE_URL),
    basePath: '/api',
    // An example has no login. Yours passes `authenticate`, and a request without a session is refused.
    allowUnauthenticated: true,
  });
  return host;
}
