import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approve } from 'holdpoint';
import type { GenerateOptions } from 'holdpoint';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/index.ts';
import { openEffects } from '../processes/effects.ts';
import { dumpThread } from '../processes/dump-thread.ts';
import { clerk } from '../paused-process/scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-input-'));
let store: Store;
beforeAll(() => {
  store = sqliteStore(join(folder, 'input.db'));
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const cycle: Record<string, unknown> = {};
cycle['again'] = cycle;
const entry = (interruptId: string, payload: unknown) => ({
  interruptId,
  status: 'resolved' as const,
  payload: payload as { approved: boolean },
});

const YES = { approved: true };
const NO = { approved: false };

/** Inputs to a thread that waits for one approval, and the codes that refuse them. */
const REFUSED: readonly (readonly [
  what: string,
  code: string,
  options: (id: string) => Omit<GenerateOptions, 'store'>,
])[] = [
  ['no thread', 'INPUT_INVALID', () => ({ threadId: undefined as unknown as string, prompt: 'go' })],
  ['messages of its own', 'INPUT_INVALID', () => ({ messages: [] })],
  ['a new message while an interrupt is open', 'INTERRUPTS_PENDING', () => ({ prompt: 'and now?' })],
  [
    'an answer to an unknown interrupt',
    'INTERRUPT_UNKNOWN',
    () => ({ resume: [entry('unknown', { approved: true })] }),
  ],
  ['"true" instead of true', 'ANSWER_INVALID', (id) => ({ resume: [entry(id, { approved: 'true' })] })],
  ['an answer without a payload', 'ANSWER_INVALID', (id) => ({ resume: [entry(id, undefined)] })],
  ['a cyclic answer', 'INPUT_INVALID', (id) => ({ resume: [entry(id, cycle)] })],
  ['an answer with a BigInt', 'INPUT_INVALID', (id) => ({ resume: [entry(id, { approved: 1n })] })],
  ['yes and no at once', 'INPUT_INVALID', (id) => ({ resume: [entry(id, YES), entry(id, NO)] })],
  ['no and yes at once', 'INPUT_INVALID', (id) => ({ resume: [entry(id, NO), entry(id, YES)] })],
  [
    'an answer under another tenant',
    'INTERRUPT_UNKNOWN',
    (id) => ({ resume: [entry(id, YES)], principal: { id: 'eve', scope: 'other' } }),
  ],
];

describe('a thread that waits for an approval', () => {
  it.each(REFUSED)(
    'a thread that waits for an approval refuses %s with %s and does not change',
    async (what, code, options) => {
      const effects = openEffects(join(folder, what));
      const agent = clerk(effects);
      const given = { store, threadId: what };
      const { interrupts } = await agent.generate({ ...given, prompt: 'go' });
      const id = interrupts[0]?.interrupt.id ?? '';
      const key = { scope: 'default', thread: what };
      const before = await dumpThread(store, key);
      await expect(agent.generate({ ...given, ...options(id) })).rejects.toMatchObject({ code });
      expect(await dumpThread(store, key)).toEqual(before);
      expect(effects.lines).toEqual([`note ${what}`]);
      expect((await agent.generate({ ...given, resume: [entry(id, YES)] })).text).toBe('All done.');
    },
  );

  it.each([
    ['nothing', ''],
    ['a zero', '\0'],
    ['half a letter', '\ud800'],
    ['what every object has', '__proto__'],
    ['separators', 'a/b:c'],
    ['a page of text', 'x'.repeat(10_000)],
    ['a statement', "'; DROP TABLE threads; --"],
  ])('is found again by its id: %s', async (_name, threadId) => {
    const agent = clerk(openEffects(join(folder, 'names')));
    const { interrupts } = await agent.generate({ store, threadId, prompt: 'go' });
    const resume = interrupts.map(({ interrupt }) => approve(interrupt));
    expect((await agent.generate({ store, threadId, resume })).text).toBe('All done.');
  });
});
