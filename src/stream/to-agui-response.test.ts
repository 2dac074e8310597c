import { afterEach, describe, expect, test, vi } from 'vitest';

import { fixed } from './testing-support/fixed.ts';
import { stuckSource } from './testing-support/stuck-source.ts';
import { toAguiResponse } from './to-agui-response.ts';

const decoder = new TextDecoder();

/** The written frames. */
interface Frames {
  next(): Promise<string | undefined>;
  cancel(): Promise<void>;
}

function framesOf(response: Response): Frames {
  const reader = response.body?.getReader();
  return {
    async next() {
      const result = await reader?.read();
      return result?.value && decoder.decode(result.value);
    },
    cancel: async () => reader?.cancel(),
  };
}

async function skip(frames: Frames, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await frames.next();
}

test('each frame is one JSON object with LF line ends, and no end mark follows', async () => {
  const response = toAguiResponse(['a\r\nb', '\u2028'], { ...fixed(), naming: 'snake' });
  expect(await response.text()).toMatchInlineSnapshot(`
    "data: {"type":"run_started","timestamp":1700000000000,"thread_id":"id-1","run_id":"id-2","protocol_version":"1.0"}

    data: {"type":"text_message_start","timestamp":1700000000000,"message_id":"id-3","role":"assistant"}

    data: {"type":"text_message_content","timestamp":1700000000000,"message_id":"id-3","delta":"a\\r\\nb"}

    data: {"type":"text_message_content","timestamp":1700000000000,"message_id":"id-3","delta":" "}

    data: {"type":"text_message_end","timestamp":1700000000000,"message_id":"id-3"}

    data: {"type":"run_finished","timestamp":1700000000000,"thread_id":"id-1","run_id":"id-2","outcome":{"type":"success"}}

    "
  `);
});

describe('response headers', () => {
  test('sends headers that forbid caching and buffering of the stream', () => {
    const response = toAguiResponse('text');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
  });

  test('sends the headers of the caller, which replace the defaults', () => {
    const headers: [string, string][] = [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['Cache-Control', 'no-store'],
    ];
    const response = toAguiResponse('text', { headers, status: 203 });
    expect(response.status).toBe(203);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

test('the source is read only when the body is read, one text at a time', async () => {
  let yielded = 0;
  function* count(): Generator<string> {
    for (;;) {
      yielded += 1;
      yield String(yielded);
    }
  }
  const frames = framesOf(toAguiResponse(count()));
  expect(yielded).toBe(0);
  await skip(frames, 2);
  expect(yielded).toBe(0);
  await skip(frames, 3);
  expect(yielded).toBe(3);
  await frames.cancel();
});

describe('cancelling the body', () => {
  test('cancelling the body stops a source that is stuck in next()', async () => {
    const source = stuckSource();
    const frames = framesOf(toAguiResponse(source));
    await skip(frames, 3);
    const pending = frames.next();
    await source.stuck;
    await frames.cancel();
    await source.stopped;
    expect(await pending).toBeUndefined();
  });

  test('cancelling the body aborts the signal of a source function', async () => {
    let handed: AbortSignal | undefined;
    const frames = framesOf(
      toAguiResponse((signal) => {
        handed = signal;
        return stuckSource();
      }),
    );
    await skip(frames, 2);
    expect(handed?.aborted).toBe(false);
    await frames.cancel();
    expect(handed?.aborted).toBe(true);
  });

  test('cancelling the body releases an unread source', async () => {
    const source = stuckSource();
    await toAguiResponse(source).body?.cancel();
    await expect(source.stopped).resolves.toBeUndefined();
  });
});

test('an abort from outside ends the body without another event', async () => {
  const source = stuckSource();
  const controller = new AbortController();
  const text = toAguiResponse(source, { signal: controller.signal }).text();
  await source.stuck;
  controller.abort();
  expect((await text).match(/"type":"\w+"/g)).toEqual([
    '"type":"RUN_STARTED"',
    '"type":"TEXT_MESSAGE_START"',
    '"type":"TEXT_MESSAGE_CONTENT"',
  ]);
});

describe('a silent source', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a silent source sends a comment every 15 seconds until the reader leaves', async () => {
    vi.useFakeTimers();
    const source = stuckSource();
    const frames = framesOf(toAguiResponse(source));
    await skip(frames, 3);
    const first = frames.next();
    await source.stuck;
    vi.advanceTimersByTime(15_000);
    expect(await first).toBe(':\n\n');
    const second = frames.next();
    vi.advanceTimersByTime(15_000);
    expect(await second).toBe(':\n\n');
    await frames.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a silent source sends no further comment while one is unread', async () => {
    vi.useFakeTimers();
    const source = stuckSource();
    const frames = framesOf(toAguiResponse(source, { keepAliveMs: 10 }));
    await skip(frames, 3);
    const first = frames.next();
    await source.stuck;
    vi.advanceTimersByTime(1000);
    expect(await first).toBe(':\n\n');
    expect(await frames.next()).toBe(':\n\n');
    const third = frames.next();
    await frames.cancel();
    expect(await third).toBeUndefined();
  });

  test('a silent source sends no comment with keepAliveMs 0', async () => {
    vi.useFakeTimers();
    const source = stuckSource();
    const frames = framesOf(toAguiResponse(source, { keepAliveMs: 0 }));
    await skip(frames, 3);
    const pending = frames.next();
    await source.stuck;
    expect(vi.getTimerCount()).toBe(0);
    await frames.cancel();
    expect(await pending).toBeUndefined();
  });
});
