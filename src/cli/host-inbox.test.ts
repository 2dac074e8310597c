import { afterEach, expect, it, vi } from 'vitest';
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
