// The campaign of integration/ha: hosts and people on a PostgreSQL cluster whose primary is taken away again and again.
//   npm run test:ha                                        three faults each way, in a few minutes
//   npm run test:ha -- --faults 12 --way direct,pooled     larger; --people 24
// Needs Debian's packages and downloads nothing: without them it says so and passes.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const isProgram = (name) =>
  ['/usr/bin', '/usr/sbin', '/usr/local/bin'].some((folder) => existsSync(join(folder, name)));
const PACKAGES = {
  postgresql: () => existsSync('/usr/lib/postgresql') && readdirSync('/usr/lib/postgresql').length > 0,
  patroni: () => isProgram('patroni'),
  'etcd-server': () => isProgram('etcd'),
  haproxy: () => isProgram('haproxy'),
  pgbouncer: () => isProgram('pgbouncer'),
};

const missing = Object.keys(PACKAGES).filter((name) => !PACKAGES[name]());
if (missing.length > 0) {
  console.log(missing.map((name) => `not run: package ${name} missing`).join('\n'));
  console.log('\n0 passed, 0 failed');
  process.exit(0);
}
const root = join(import.meta.dirname, '..');
const program = join(root, 'integration/ha/campaign.ts');
const { status } = spawnSync(
  process.execPath,
  ['--import', 'tsx', '--conditions=holdpoint-source', program, ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
