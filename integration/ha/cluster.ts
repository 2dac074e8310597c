/**
 * A PostgreSQL cluster on this machine, from Debian's packages: three nodes under Patroni and etcd, HAProxy in front of the primary, and
 * PgBouncer in transaction mode in front of HAProxy. All on loopback, none as root, all ended by their process ids.
 */
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../test/processes/free-port.ts';

/** How a fault stops the primary. */
export const FAULTS = ['switchover', 'kill node', 'kill PostgreSQL'] as const;
export type Fault = (typeof FAULTS)[number];

export interface Cluster {
  /** The folder of its data and logs. */
  readonly folder: string;
  /** Through HAProxy, to the primary. */
  readonly direct: string;
  /** Through PgBouncer in transaction mode and HAProxy. */
  readonly pooled: string;
  /** Resolves once all three nodes run and one standby is synchronous. */
  whole(): Promise<void>;
  /** Takes the primary from its place; a killed node is started again by {@link repair}. */
  inflict(fault: Fault): Promise<void>;
  repair(): void;
  stop(): Promise<void>;
}

interface Node {
  readonly name: string;
  readonly port: number;
  readonly rest: number;
  readonly data: string;
  patroni: ChildProcess;
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** PostgreSQL refuses to run as root: then its servers run as the user of Debian's package. */
function ordinaryUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The programs of PostgreSQL of the newest version that is installed. */
export function postgresFolder(): string | undefined {
  try {
    const versions = readdirSync('/usr/lib/postgresql').map(Number).filter(Number.isInteger);
    return versions.length === 0 ? undefined : `/usr/lib/postgresql/${Math.max(...versions)}/bin`;
  } catch {
    return undefined;
  }
}

export async function startCluster(): Promise<Cluster> {
  const user = ordinaryUser();
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-ha-'));
  const password = randomBytes(12).toString('hex');
  const started: ChildProcess[] = [];
  const own = (path: string) => {
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
    return path;
  };
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return own(path);
  };
  const run = (name: string, command: string, args: readonly string[]): ChildProcess => {
    const log = openSync(join(folder, `${name}.log`), 'a');
    const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' };
    const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', log, log], ...user });
    child.on('error', () => undefined);
    started.push(child);
    return child;
  };
  own(folder);

  const [etcd, peer, primary, pooler] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const at = (port: number) => `127.0.0.1:${port}`;
  const [clients, peers] = [`http://${at(etcd)}`, `http://${at(peer)}`];
  const ofEtcd = {
    name: 'etcd',
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `etcd=${peers}`,
  };
  run(
    'etcd',
    'etcd',
    Object.entries(ofEtcd).map(([name, value]) => `--${name}=${value}`),
  );

  const patroni = (name: string) => run(name, 'patroni', [join(folder, `${name}.yml`)]);
  const nodes: Node[] = [];
  for (const name of ['node1', 'node2', 'node3']) {
    const [port, rest] = [await freePort(), await freePort()];
    const data = join(folder, name);
    own((mkdirSync(data, { mode: 0o700 }), data));
    // JSON is YAML.
    write(`${name}.yml`, JSON.stringify(patroniConfig({ name, port, rest, data, etcd, password, folder })));
    nodes.push({ name, port, rest, data, patroni: patroni(name) });
  }
  const servers = nodes.map(
    ({ name, port, rest }) => `  server ${name} ${at(port)} maxconn 100 check port ${rest}`,
  );
  run('haproxy', 'haproxy', ['-db', '-f', write('haproxy.cfg', haproxyConfig(primary, servers))]);
  write('userlist.txt', `"postgres" "${password}"\n`);
  run('pgbouncer', 'pgbouncer', [write('pgbouncer.ini', pgbouncerConfig(folder, { pooler, primary }))]);

  const members = async (): Promise<readonly Member[]> => {
    for (const { rest } of nodes) {
      const answer = await fetch(`http://${at(rest)}/cluster`, { signal: AbortSignal.timeout(2000) })
        .then((response) => response.json() as Promise<{ members: readonly Member[] }>)
        .catch(() => undefined);
      if (answer !== undefined) return answer.members;
    }
    return [];
  };
  const leader = async (): Promise<Node> => {
    for (;;) {
      const found = (await members()).find(({ role, state }) => role === 'leader' && state === 'running');
      const node = nodes.find(({ name }) => name === found?.name);
      if (node !== undefined) return node;
      await delay(200);
    }
  };
  const url = (port: number) => `postgres://postgres:${password}@${at(port)}/postgres`;
  return {
    folder,
    direct: url(primary),
    pooled: url(pooler),
    async whole() {
      const end = Date.now() + 120_000;
      for (;;) {
        const all = await members();
        const isUp = ({ state }: Member) => state === 'running' || state === 'streaming';
        const hasLeader = all.some(({ role }) => role === 'leader');
        if (all.filter(isUp).length === 3 && hasLeader && all.some(({ role }) => role === 'sync_standby'))
          return;
        if (Date.now() > end)
          throw new Error(`The cluster is not whole after 2 minutes, see ${folder}: ${JSON.stringify(all)}`);
        await delay(300);
      }
    },
    async inflict(fault) {
      const node = await leader();
      if (fault === 'switchover') {
        const response = await fetch(`http://${at(node.rest)}/switchover`, {
          method: 'POST',
          body: JSON.stringify({ leader: node.name }),
        });
        if (!response.ok) throw new Error(`switchover: ${response.status} ${await response.text()}`);
        return;
      }
      if (fault === 'kill node') node.patroni.kill('SIGKILL');
      killPostgres(node);
    },
    repair() {
      for (const node of nodes) if (node.patroni.signalCode !== null) node.patroni = patroni(node.name);
    },
    async stop() {
      // Patroni first: it would start PostgreSQL again.
      for (const node of nodes) {
        node.patroni.kill('SIGKILL');
        killPostgres(node);
      }
      for (const child of started) child.kill('SIGTERM');
      await Promise.all(started.map(async (child) => ended(child)));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  for (
    let waits = 0;
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    waits += 1
  ) {
    if (waits === 50) child.kill('SIGKILL');
    await delay(100);
  }
}

/** Kills the PostgreSQL of a node with all its processes, as a crash of the machine would. */
function killPostgres({ data }: Node): void {
  let server: number;
  try {
    server = Number(readFileSync(join(data, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return;
  }
  const children = readdirSync('/proc').filter((pid) => parentOf(pid) === server);
  for (const pid of [server, ...children.map(Number)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

interface NodeSetting extends Omit<Node, 'patroni'> {
  readonly etcd: number;
  readonly password: string;
  readonly folder: string;
}

function patroniConfig({ name, port, rest, data, etcd, password, folder }: NodeSetting): object {
  const trusted = ['replication replicator', 'all all'].map(
    (whom) => `host ${whom} 127.0.0.1/32 scram-sha-256`,
  );
  return {
    scope: 'holdpoint',
    name,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        maximum_lag_on_failover: 1_048_576,
        // A commit is on two nodes before it is acknowledged, or it waits.
        synchronous_mode: true,
        synchronous_mode_strict: true,
        // Fails over at once instead of waiting for the crash recovery of the primary.
        primary_start_timeout: 0,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: { max_connections: 200, synchronous_commit: 'on' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(data, 'data'),
      bin_dir: postgresFolder(),
      pgpass: join(folder, `${name}.pgpass`),
      pg_hba: trusted,
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
      },
      // Processes are killed, not the machine, so commits need no fsync.
      parameters: { unix_socket_directories: data, fsync: 'off', shared_buffers: '64MB' },
    },
  };
}

function haproxyConfig(port: number, servers: readonly string[]): string {
  return `
defaults
  mode tcp
  timeout connect 4s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}

function pgbouncerConfig(
  folder: string,
  { pooler, primary }: { readonly pooler: number; readonly primary: number },
): string {
  return `
[databases]
postgres = host=127.0.0.1 port=${primary} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${pooler}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'userlist.txt')}
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
server_login_retry = 1
server_connect_timeout = 5
`;
}
