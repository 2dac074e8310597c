import { describe, expect, it } from 'vitest';
import { createEventQueue } from './event-queue.ts';

async function readAll<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const read: Value[] = [];
  for await (const value of values) read.push(value);
  return read;
}

describe('an event queue', () => {
  it('gives values in order, those before the reader and those while it waits', async () => {
    const queue = createEventQueue<number>();
    queue.push(1);
    queue.push(2);
    const read = readAll(queue);
    await Promise.resolve();
    queue.push(3);
    await Promise.resolve();
    queue.push(4);
    queue.end();
    expect(await read).toEqual([1, 2, 3, 4]);
  });

  it('answers several reads that wait at the same time', async () => {
    const queue = createEventQueue<number>();
    const reader = queue[Symbol.asyncIterator]();
    const reads = Promise.all([reader.next(), reader.next(), reader.next()]);
    queue.push(1);
    queue.push(2);
    queue.end();
    expect((await reads).map(({ value }) => value)).toEqual([1, 2, undefined]);
  });

  it('throws its error once, after the values', async () => {
    const queue = createEventQueue<number>();
    queue.push(1);
    queue.end(new Error('broken'));
    const reader = queue[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: 1 });
    await expect(reader.next()).rejects.toThrow('broken');
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it('reports a reader that leaves before the end, once, and ends the read that waits', async () => {
    let left = 0;
    const queue = createEventQueue<number>(() => (left += 1));
    const reader = queue[Symbol.asyncIterator]();
    const waiting = reader.next();
    await reader.return?.();
    await reader.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(left).toBe(1);
    const ended = createEventQueue<number>(() => (left += 1));
    ended.push(1);
    ended.push(2);
    ended.end();
    for await (const _value of ended) break;
    expect(left).toBe(1);
  });
});
