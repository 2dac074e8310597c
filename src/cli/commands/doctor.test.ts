import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { driverFinding } from '../doctor/driver-finding.ts';
import type { Finding } from '../doctor/finding.ts';
import { settingFindings } from '../doctor/setting-findings.ts';
import { run } from '../testing-support/run-command.ts';

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
const wrongOf = (findings: readonly Finding[]) => findings.filter(({ ok }) => !ok);

describe('holdpoint doctor', () => {
  it('looks at Node, the settings, the package, the database, the clock and the threads', async () => {
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
        'place',
        'database',
        'clock',
        'threads',
      ].map((what) => [what, true]),
    );
    expect(code).toBe(0);
  });

  it('says that there is no database yet, and makes none', async () => {
    const db = join(folder, 'a.db');
    const { code, out } = await run('doctor', '--db', db, '--json');
    expect(code).toBe(1);
    expect(wrongOf(findingsOf(out))).toEqual([
      {
        what: 'database',
        ok: false,
        says: `there is no database at ${db} yet`,
        next: 'Make it with `holdpoint migrate` or `holdpoint demo`, or give another --db.',
      },
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('asks of a PostgreSQL what a PostgreSQL needs, and shows no password', async () => {
    const db = 'postgres://me:topsecret@127.0.0.1:9/none';
    const { code, out } = await run('doctor', '--db', db, '--json');
    const drivers = findingsOf(out).filter(({ what }) => ['pg', 'libsql', 'place'].includes(what));
    expect(drivers).toEqual([{ what: 'pg', ok: true, says: 'loads' }]);
    expect(wrongOf(findingsOf(out))).toMatchObject([
      { what: 'database', next: 'Check the address, the user and that it is running.' },
    ]);
    expect([code, out.includes('topsecret')]).toEqual([1, false]);
  });

  it.each([
    ['holdpoint.db', 'libsql', 'SQLite'],
    ['postgres://me@here/db', 'pg', 'PostgreSQL'],
  ])('misses for %s the package %s, and no other', async (database, name, kind) => {
    const missing = () =>
      Promise.reject(new Error(`Cannot find package '${name}'\nRequire stack: much of it`));
    const there = () => Promise.resolve({});
    const without = { libsql: there, pg: there, [name]: missing };
    expect(await driverFinding(database, without)).toEqual({
      what: name,
      ok: false,
      says: `Cannot find package '${name}'`,
      next: `Run \`npm install ${name}\` where the command runs; ${kind} needs it.`,
    });
    const onlyThis = { libsql: missing, pg: missing, [name]: there };
    expect(await driverFinding(database, onlyThis)).toMatchObject({ what: name, ok: true });
  });

  it.each([
    ['HOLDPOINT_DB', '', 'it is empty', 'postgres://user@host/database'],
    ['HOLDPOINT_DB', 'mysql://me:topsecret@here/db', 'mysql: is neither', 'a SQLite file'],
    ['HOLDPOINT_DB', 'sqlite:holdpoint.db', 'sqlite: is neither', 'the path of a SQLite file'],
    ['HOLDPOINT_URL', 'localhost:4680', 'is not an address of the web', 'http://127.0.0.1:4680'],
    ['HOLDPOINT_URL', 'http://here:4680/agents/demo', 'is a page or an agent', 'the address of the host'],
    ['HOLDPOINT_TOKEN', '', 'it is empty', 'the token alone'],
    ['HOLDPOINT_TOKEN', 'Bearer topsecret', 'begins with the word Bearer', 'the token alone'],
    ['HOLDPOINT_TOKEN', 'topsecret\n', 'a space, a quote or a character', 'no new line'],
    ['HOLDPOINT_MODEL', 'gpt-5', 'gpt-5 cannot be used', 'provider/model, such as openai/gpt-5-mini'],
    ['HOLDPOINT_MODEL', 'nobody/x', 'cannot be used', 'npm install @ai-sdk/nobody'],
  ])('says what is wrong with %s=%s, and what to do', async (name, value, says, next) => {
    const db = join(folder, 'a.db');
    await run('migrate', '--db', db);
    vi.stubEnv(name, value);
    const { code, out } = await run('doctor', '--db', db, '--json');
    expect(wrongOf(findingsOf(out))).toEqual([
      { what: name, ok: false, says: expect.stringContaining(says), next: expect.stringContaining(next) },
    ]);
    expect([code, out.includes('topsecret')]).toEqual([1, false]);
    const people = await run('doctor', '--db', db);
    expect(people.out).toMatch(new RegExp(`^bad  ${name} +\\S.*\n     \\S`, 'm'));
  });

  it('is content with settings that will do, a model of an installed provider among them', async () => {
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
    expect(wrongOf(findings)).toEqual([]);
    expect(findings).toHaveLength(4);
  });
});

describe('the inbox on a terminal', () => {
  it('does not ask a host that has no address, nor with a token that is none', async () => {
    expect(await run('inbox', '--url', 'localhost:4680')).toEqual({
      code: 2,
      out: '',
      err: 'The address will not do, localhost:4680 is not an address of the web. Give the address of the host, such as http://127.0.0.1:4680.\n',
    });
    vi.stubEnv('HOLDPOINT_TOKEN', 'Bearer topsecret');
    const { code, err } = await run('inbox');
    expect([code, err.includes('The token will not do'), err.includes('topsecret')]).toEqual([
      2,
      true,
      false,
    ]);
  });
});
