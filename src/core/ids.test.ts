import { describe, expect, it } from 'vitest';
import { createIds, newId } from './index.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  it('creates UUIDs of version 7 that contain their time', () => {
    const id = createIds({ now: () => 0x0199_0000_0001 }, (bytes) => bytes.fill(0xff))();
    expect(id).toMatch(UUID_V7);
    expect(id.slice(0, 13)).toBe('01990000-0001');
    expect(newId()).toMatch(UUID_V7);
  });

  it('creates increasing ids within a millisecond, past 4,096 of them, and when the clock steps back', () => {
    let now = 1_000_000;
    const ids = createIds({ now: () => now });
    const made = Array.from({ length: 10_000 }, (_, index) => {
      if (index === 6000) now -= 500;
      return ids();
    });
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(made.length);
  });
});
