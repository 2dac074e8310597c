import { expect, it } from 'vitest';
import { delayBefore, wait } from './back-off.ts';

const delays = (random: number) =>
  [0, 1, 2, 3, 40].map((attempt) =>
    delayBefore(attempt, { attempts: 9, baseDelayMs: 500, maxDelayMs: 3000, random: () => random }),
  );

it('doubles the delay up to the limit, with jitter between half and all of it', () => {
  expect(delays(1)).toEqual([500, 1000, 2000, 3000, 3000]);
  expect(delays(0)).toEqual([250, 500, 1000, 1500, 1500]);
});

it('stops waiting when the signal aborts', async () => {
  const leaving = new AbortController();
  const waiting = wait(1_000_000, leaving.signal);
  leaving.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(wait(1_000_000, leaving.signal)).rejects.toThrow('enough');
});
