import { afterEach, describe, expect, it, vi } from 'vitest';
import { run } from './testing-support/run-command.ts';

afterEach(() => vi.unstubAllEnvs());

it('inbox rejects an invalid address or token without a request, and does not print the token', async () => {
  expect(await run('inbox', '--url', 'localhost:4680')).toEqual({
    code: 2,
    out: '',
    err: 'The address is not valid: localhost:4680 is not an http or https URL. Give the address of the host, such as http://127.0.0.1:4680.\n',
  });
  vi.stubEnv('HOLDPOINT_TOKEN', 'Bearer topsecret');
  const { code, err } = await run('inbox');
  expect([code, err.includes('The token is not valid'), err.includes('topsecret')]).toEqual([2, true, false]);
});

describe('a password in the address', () => {
  const ADDRESSES = [
    'http://me:topsecret@127.0.0.1:9',
    'http://me:topsecret@127.0.0.1:9/agents/demo',
    'http://me:1/topsecret@127.0.0.1',
    'http://me:top secret@127.0.0.1:port',
    'ftp://me:topsecret@127.0.0.1',
    'me:topsecret@127.0.0.1',
  ];
  const COMMANDS = [['list'], ['list', '--json'], ['show', 'x'], ['approve', 'x'], ['watch'], []];

  it.each(ADDRESSES)('is refused and not printed by inbox and doctor: %s', async (url) => {
    for (const words of COMMANDS) {
      const { code, out, err } = await run('inbox', ...words, '--url', url);
      expect([code, `${out}${err}`]).toEqual([
        2,
        expect.stringContaining('contains a user name or a password'),
      ]);
      expect(`${out}${err}`).not.toMatch(/top ?secret|127/);
    }
    vi.stubEnv('HOLDPOINT_URL', url);
    for (const words of [['inbox'], ['doctor', '--db', 'none.db'], ['doctor', '--db', 'none.db', '--json']]) {
      const { out, err } = await run(...words);
      expect(`${out}${err}`).toContain('contains a user name or a password');
      expect(`${out}${err}`).not.toMatch(/top ?secret/);
    }
  });
});
