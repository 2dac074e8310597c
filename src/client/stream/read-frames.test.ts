import { expect, it } from 'vitest';
import { readFrames } from './read-frames.ts';

it('restarts the stall limit with each chunk, also for a comment', async () => {
  const pieces = [': keep-alive\n\n', ': keep-alive\n\n', 'data: {}\n\n'];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
  let asked = 0;
  const stallLimit = () => {
    asked += 1;
    return 60_000;
  };
  const { signal } = new AbortController();
  const frames: string[] = [];
  for await (const batch of readFrames(body, { signal, stallLimit }))
    frames.push(...batch.map(({ data }) => data));
  expect(frames).toEqual(['{}']);
  expect(asked).toBe(4);
});

it('stops reading a body that ignores the signal', async () => {
  const leaving = new AbortController();
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: {}\n\n')),
    cancel: () => {
      cancelled = true;
    },
  });
  const read = async () => {
    for await (const _frames of readFrames(body, { signal: leaving.signal, stallLimit: () => undefined })) {
      leaving.abort(new Error('enough'));
    }
  };
  await expect(read()).rejects.toThrow('enough');
  expect(cancelled).toBe(true);
});
