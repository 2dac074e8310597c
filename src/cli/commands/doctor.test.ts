import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sqliteStore } from '../../store/sqlite/index.ts';
import { run } from '../testing-support/run-command.ts';
import type { Finding } from './doctor.ts';
import { driverFinding, settingFindings } from './doctor.ts';
import type { Call } from '../command.ts';
import { shownDatabase } from '../open-store.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-doctor-'));
  for (const name of ['DB', 'URL', 'TOKEN', 'MODEL']) vi.stubEnv(`HOLDPOINT_${name}`, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const findingsOf = (out: string) => JSON.parse(out) as Finding[];
const failedOf = (findings: readonly Finding[]) => findings.filter(({ ok }) => !ok);

describe('holdpoint doctor', () => {
  it('checks Node, the settings, the driver, the database, the clock and the threads', async () => {
    const db = join(folder, 'a.db');
    await run('migrate', '--db', db);
    const { code, out } = await run('doctor', '--db', db, '--json');
    expect(findingsOf(out).map(({ what, ok }) => [what, ok])).toEqual(
      [
        'node',
        'HOLDPOINT_DB',
        'HOLDPOINT_URL',
        'HOLDPOINT_TOKEN',
        'HOLDPOINT_MODEL',
        'libsql',
        'folder',
        'database',
        'clock',
        'threads',
      ].map((what) => [what, true]),
    );
    expect(code).toBe(0);
  });

  it('reports an earlier schema and writes nothing', async () => {
    const db = join(folder, 'a.db');
    copyFileSync(join(import.meta.dirname, '../../store/sqlite/testing-support/schema-2.sqlite'), db);
    const bytes = readFileSync(db);
    const { code, out } = await run('doctor', '--db', db, '--json');
    expect(failedOf(findingsOf(out))).toMatchObject([
      {
        what: 'database',
        says: `${db} opens; it has the earlier schema version 2`,
        next: expect.stringContaining('migrate'),
      },
    ]);
    expect([code, readdirSync(folder), readFileSync(db).equals(bytes)]).toEqual([1, ['a.db'], true]);
  });

  it('reads the file of a running host, and the failed threads in it', async () => {
    const db = join(folder, 'a.db');
    const store = sqliteStore(db);
    const key = { scope: 's', thread: 't', id: '' };
    await store.commit({ puts: [{ table: 'threads', key, doc: {}, index: { status: 'failed' } }] });
    const before = readdirSync(folder);
    const { out } = await run('doctor', '--db', db, '--json');
    expect(failedOf(findingsOf(out))).toMatchObject([
      { what: 'threads', says: expect.stringContaining('1 thread') },
    ]);
    expect(readdirSync(folder)).toEqual(before);
    await store.close();
  });

  it('reports a missing database and does not create it', async () => {
    const db = join(folder, 'a.db');
    const { code, out } = await run('doctor', '--db', db, '--json');
    expect(code).toBe(1);
    expect(failedOf(findingsOf(out))).toEqual([
      {
        what: 'database',
        ok: false,
        says: `there is no database at ${db}`,
        next: 'Create it with `holdpoint migrate` or `holdpoint demo`, or give another --db.',
      },
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('checks only pg for a PostgreSQL address and prints no password', async () => {
    const db = 'postgres://me:topsecret@127.0.0.1:9/none';
    const { code, out } = await run('doctor', '--db', db, '--json');
    const drivers = findingsOf(out).filter(({ what }) => ['pg', 'libsql', 'folder'].includes(what));
    expect(drivers).toEqual([{ what: 'pg', ok: true, says: 'loads' }]);
    expect(failedOf(findingsOf(out))).toMatchObject([
      { what: 'database', next: 'Check the address and the user, and that PostgreSQL runs.' },
    ]);
    expect([code, out.includes('topsecret')]).toEqual([1, false]);
  });

  it.each([
    ['holdpoint.db', 'libsql', 'SQLite'],
    ['postgres://me@here/db', 'pg', 'PostgreSQL'],
  ])('driverFinding of %s needs the package %s only', async (database, name, kind) => {
    const missing = () =>
      Promise.reject(new Error(`Cannot find package '${name}'\nRequire stack: much of it`));
    const there = () => Promise.resolve({});
    const without = { libsql: there, pg: there, [name]: missing };
    expect(await driverFinding(database, without)).toEqual({
      what: name,
      ok: false,
      says: `Cannot find package '${name}'`,
      next: `Run \`npm install ${name}\` in this folder; ${kind} needs it.`,
    });
    const onlyThis = { libsql: missing, pg: missing, [name]: there };
    expect(await driverFinding(database, onlyThis)).toMatchObject({ what: name, ok: true });
  });

  it.each([
    ['HOLDPOINT_DB', '', 'it is empty', 'postgres://user@host/database'],
    ['HOLDPOINT_DB', 'mysql://me:topsecret@here/db', 'mysql: is neither', 'a SQLite file'],
    ['HOLDPOINT_DB', 'sqlite:holdpoint.db', 'sqlite: is neither', 'the path of a SQLite file'],
    ['HOLDPOINT_URL', 'localhost:4680', 'is not an http or https URL', 'http://127.0.0.1:4680'],
    ['HOLDPOINT_URL', 'http://here:4680/agents/demo', 'is a page or an agent', 'the address of the host'],
    ['HOLDPOINT_TOKEN', '', 'it is empty', 'the token alone'],
    ['HOLDPOINT_TOKEN', 'Bearer topsecret', 'starts with Bearer', 'the token alone'],
    ['HOLDPOINT_TOKEN', 'topsecret\n', 'a space, a quote or a character', 'line breaks'],
    ['HOLDPOINT_MODEL', 'gpt-5', 'gpt-5 cannot be used', 'provider/model, such as openai/gpt-5-mini'],
    ['HOLDPOINT_MODEL', 'missing/x', 'cannot be used', 'npm install @ai-sdk/missing'],
  ])('reports %s=%s as a problem with a next step', async (name, value, says, next) => {
    const db = join(folder, 'a.db');
    await run('migrate', '--db', db);
    vi.stubEnv(name, value);
    const { code, out } = await run('doctor', '--db', db, '--json');
    expect(failedOf(findingsOf(out))).toEqual([
      { what: name, ok: false, says: expect.stringContaining(says), next: expect.stringContaining(next) },
    ]);
    expect([code, out.includes('topsecret')]).toEqual([1, false]);
    const people = await run('doctor', '--db', db);
    expect(people.out).toMatch(new RegExp(`^bad  ${name} +\\S.*\n     \\S`, 'm'));
  });

  it('accepts valid settings and a model of an installed provider', async () => {
    const provider = join(folder, 'node_modules/@ai-sdk/some');
    mkdirSync(provider, { recursive: true });
    writeFileSync(join(provider, 'package.json'), '{"name":"@ai-sdk/some","main":"index.js"}');
    writeFileSync(
      join(provider, 'index.js'),
      `exports.some = (modelId) => ({ specificationVersion: 'v3', provider: 'some', modelId, doStream() {} });`,
    );
    const findings = await settingFindings(
      {
        HOLDPOINT_DB: 'C:\\data\\holdpoint.db',
        HOLDPOINT_URL: 'https://holdpoint.example.com/base/',
        HOLDPOINT_TOKEN: 'eyJhbGciOi.J9_-~+/=',
        HOLDPOINT_MODEL: 'some/model-1',
      },
      folder,
    );
    expect(failedOf(findings)).toEqual([]);
    expect(findings).toHaveLength(4);
  });
});

it.each([
  ['postgres://me:topsecret@here/db', 'postgres://me:…@here/db'],
  ['postgresql://me:top/se@cret@here/db?sslmode=require', 'postgresql://me:…@here/db?sslmode=require'],
  [
    'postgres://here/db?user=me&password=topsecret&sslmode=require',
    'postgres://here/db?user=me&password=…&sslmode=require',
  ],
  ['postgres://here:5432/db', 'postgres://here:5432/db'],
  ['data/a@b.db', 'data/a@b.db'],
])('%s is shown without a password', (database, shown) => {
  const call: Pick<Call, 'flag'> = { flag: () => database };
  expect(shownDatabase(call as Call)).toBe(shown);
});
