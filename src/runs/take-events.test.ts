import { describe, expect, it } from 'vitest';
import { takeEvents } from './run-foreign.ts';

/** An agent that yields numbers and records that it was closed. */
function counter(end: number) {
  const seen = { left: false };
  async function* count() {
    try {
      for (let n = 1; n <= end; n += 1) yield n;
    } finally {
      seen.left = true;
    }
  }
  return { events: count(), seen };
}

const never = new AbortController().signal;

describe('takeEvents', () => {
  it('passes the events of an agent in order, to the end', async () => {
    const taken: number[] = [];
    await takeEvents(counter(3).events, never, (n) => taken.push(n) > 0);
    expect(taken).toEqual([1, 2, 3]);
  });

  it('stops when the taker returns false', async () => {
    const { events, seen } = counter(3);
    const taken: number[] = [];
    await takeEvents(events, never, (n) => taken.push(n) < 2);
    expect(taken).toEqual([1, 2]);
    await Promise.resolve();
    expect(seen.left).toBe(true);
  });

  it('does not wait for an agent that ignores the signal', async () => {
    const stop = new AbortController();
    const taken: number[] = [];
    async function* deaf() {
      yield 1;
      await new Promise(() => undefined);
    }
    const done = takeEvents(deaf(), stop.signal, (n) => {
      taken.push(n);
      queueMicrotask(() => stop.abort());
      return true;
    });
    await done;
    expect(taken).toEqual([1]);
  });

  it('takes nothing if the signal is already aborted', async () => {
    await takeEvents(counter(1).events, AbortSignal.abort(), () => {
      throw new Error('taken');
    });
  });

  it('throws errors of the agent and of the taker, and closes the source', async () => {
    async function* broken() {
      yield 1;
      throw new Error('broken');
    }
    await expect(takeEvents(broken(), never, () => true)).rejects.toThrow('broken');
    const { events, seen } = counter(2);
    const refuse = () => {
      throw new Error('refused');
    };
    await expect(takeEvents(events, never, refuse)).rejects.toThrow('refused');
    await Promise.resolve();
    expect(seen.left).toBe(true);
  });
});
