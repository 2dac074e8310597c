import { describe, expect, test, vi } from 'vitest';

import { collect } from './testing-support/collect.ts';
import { fixed } from './testing-support/fixed.ts';
import { stuckSource } from './testing-support/stuck-source.ts';
import { toAguiEvents } from './to-agui-events.ts';

async function* failing(): AsyncGenerator<string> {
  yield 'half a sen';
  throw new Error('password=hunter2');
}

describe('toAguiEvents', () => {
  test('yields the events of a text in AG-UI naming', async () => {
    expect(await collect(toAguiEvents(['Hello', '', ' world'], fixed()))).toMatchInlineSnapshot(`
      [
        {
          "protocolVersion": "1.0",
          "runId": "id-2",
          "threadId": "id-1",
          "timestamp": 1700000000000,
          "type": "RUN_STARTED",
        },
        {
          "messageId": "id-3",
          "role": "assistant",
          "timestamp": 1700000000000,
          "type": "TEXT_MESSAGE_START",
        },
        {
          "delta": "Hello",
          "messageId": "id-3",
          "timestamp": 1700000000000,
          "type": "TEXT_MESSAGE_CONTENT",
        },
        {
          "delta": " world",
          "messageId": "id-3",
          "timestamp": 1700000000000,
          "type": "TEXT_MESSAGE_CONTENT",
        },
        {
          "messageId": "id-3",
          "timestamp": 1700000000000,
          "type": "TEXT_MESSAGE_END",
        },
        {
          "outcome": {
            "type": "success",
          },
          "runId": "id-2",
          "threadId": "id-1",
          "timestamp": 1700000000000,
          "type": "RUN_FINISHED",
        },
      ]
    `);
  });

  test('yields the events of a text in snake naming', async () => {
    expect(await collect(toAguiEvents(['Hello'], { ...fixed(), naming: 'snake' }))).toMatchInlineSnapshot(`
      [
        {
          "protocol_version": "1.0",
          "run_id": "id-2",
          "thread_id": "id-1",
          "timestamp": 1700000000000,
          "type": "run_started",
        },
        {
          "message_id": "id-3",
          "role": "assistant",
          "timestamp": 1700000000000,
          "type": "text_message_start",
        },
        {
          "delta": "Hello",
          "message_id": "id-3",
          "timestamp": 1700000000000,
          "type": "text_message_content",
        },
        {
          "message_id": "id-3",
          "timestamp": 1700000000000,
          "type": "text_message_end",
        },
        {
          "outcome": {
            "type": "success",
          },
          "run_id": "id-2",
          "thread_id": "id-1",
          "timestamp": 1700000000000,
          "type": "run_finished",
        },
      ]
    `);
  });

  test('closes the message of a failing source, then yields RUN_ERROR without internal text', async () => {
    expect(await collect(toAguiEvents(failing(), fixed()))).toMatchInlineSnapshot(`
      [
        {
          "protocolVersion": "1.0",
          "runId": "id-2",
          "threadId": "id-1",
          "timestamp": 1700000000000,
          "type": "RUN_STARTED",
        },
        {
          "messageId": "id-3",
          "role": "assistant",
          "timestamp": 1700000000000,
          "type": "TEXT_MESSAGE_START",
        },
        {
          "delta": "half a sen",
          "messageId": "id-3",
          "timestamp": 1700000000000,
          "type": "TEXT_MESSAGE_CONTENT",
        },
        {
          "messageId": "id-3",
          "timestamp": 1700000000000,
          "type": "TEXT_MESSAGE_END",
        },
        {
          "code": "INTERNAL",
          "message": "The stream failed.",
          "timestamp": 1700000000000,
          "type": "RUN_ERROR",
        },
      ]
    `);
  });

  test('yields the events of a failure in snake naming', async () => {
    const events = await collect(toAguiEvents(failing(), { ...fixed(), naming: 'snake' }));
    expect(events.slice(-2)).toMatchInlineSnapshot(`
      [
        {
          "message_id": "id-3",
          "timestamp": 1700000000000,
          "type": "text_message_end",
        },
        {
          "code": "INTERNAL",
          "message": "The stream failed.",
          "timestamp": 1700000000000,
          "type": "run_error",
        },
      ]
    `);
  });

  test('opens no message for a source that fails to start', async () => {
    const source = () => Promise.reject(new Error('unknown profile'));
    expect(await collect(toAguiEvents(source, fixed()))).toMatchInlineSnapshot(`
      [
        {
          "protocolVersion": "1.0",
          "runId": "id-2",
          "threadId": "id-1",
          "timestamp": 1700000000000,
          "type": "RUN_STARTED",
        },
        {
          "code": "INTERNAL",
          "message": "The stream failed.",
          "timestamp": 1700000000000,
          "type": "RUN_ERROR",
        },
      ]
    `);
  });

  test('yields an empty message for an empty text', async () => {
    const events = await collect(toAguiEvents(['', '']));
    expect(events.map((event) => event.type)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
  });
});

test('uses given ids, and creates new ids for each run', async () => {
  const ids = { threadId: 'thread', runId: 'run', messageId: 'message' };
  const [first, second] = await collect(toAguiEvents('text', ids));
  expect(first).toMatchObject({ threadId: 'thread', runId: 'run' });
  expect(second).toMatchObject({ messageId: 'message' });
  const [fresh] = await collect(toAguiEvents('text'));
  const [other] = await collect(toAguiEvents('text'));
  expect(fresh).not.toEqual(other);
});

describe('toAguiEvents with hooks', () => {
  test('passes the error to onError and takes the message from errorMessage', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const errorMessage = () => 'The model is asleep.';
    const events = await collect(toAguiEvents(failing(), { onError, errorMessage }));
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('password=hunter2'));
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: 'The model is asleep.' });
  });

  test('yields the default RUN_ERROR when both hooks throw', async () => {
    const broken = () => {
      throw new Error('broken hook');
    };
    const events = await collect(toAguiEvents(failing(), { onError: broken, errorMessage: broken }));
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: 'The stream failed.' });
  });
});

describe('stopping toAguiEvents', () => {
  test('return() closes a source that is stuck in next(), without waiting for it', async () => {
    const source = stuckSource();
    const events = toAguiEvents(source);
    const collected = collect({ [Symbol.asyncIterator]: () => events });
    await source.stuck;
    await events.return(undefined);
    await source.stopped;
    expect((await collected).map((event) => event.type)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
    ]);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('the signal closes a stuck source, and no further event is yielded', async () => {
    const source = stuckSource();
    const controller = new AbortController();
    const onError = vi.fn<(error: unknown) => void>();
    const collected = collect(toAguiEvents(source, { signal: controller.signal, onError }));
    await source.stuck;
    controller.abort();
    await source.stopped;
    expect((await collected).at(-1)).toMatchObject({ type: 'TEXT_MESSAGE_CONTENT' });
    expect(onError).not.toHaveBeenCalled();
  });

  test('a signal that aborts between two reads stops the source', async () => {
    const source = stuckSource();
    const controller = new AbortController();
    const events = toAguiEvents(source, { signal: controller.signal });
    await events.next();
    await events.next();
    controller.abort();
    await source.stopped;
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('an aborted signal yields no event and releases the source', async () => {
    const source = stuckSource();
    expect(await collect(toAguiEvents(source, { signal: AbortSignal.abort() }))).toEqual([]);
    await source.stopped;
  });

  test('an aborted signal never starts a function', async () => {
    const start = vi.fn<() => string>(() => 'text');
    expect(await collect(toAguiEvents(start, { signal: AbortSignal.abort() }))).toEqual([]);
    expect(start).not.toHaveBeenCalled();
  });

  test('a source function receives the abort reason through its signal', async () => {
    const controller = new AbortController();
    const heard = new Promise<unknown>((resolve) => {
      const events = toAguiEvents(
        (signal) => {
          signal.addEventListener('abort', () => resolve(signal.reason));
          controller.abort('enough');
          return new Promise<never>(() => {});
        },
        { signal: controller.signal },
      );
      void collect(events);
    });
    expect(await heard).toBe('enough');
  });

  test('a source that arrives after the stop is closed unread', async () => {
    const source = stuckSource();
    const controller = new AbortController();
    const start = async () => {
      controller.abort();
      return source;
    };
    const events = await collect(toAguiEvents(start, { signal: controller.signal }));
    expect(events.map((event) => event.type)).toEqual(['RUN_STARTED']);
    await source.stopped;
  });

  test('a source that ended is not closed again', async () => {
    const close = vi.fn<() => IteratorResult<string>>(() => ({ done: true, value: undefined }));
    const source = {
      [Symbol.iterator]: () => ({ next: () => ({ done: true, value: undefined }) as const, return: close }),
    };
    const events = toAguiEvents(source);
    for await (const event of events) if (event.type === 'RUN_FINISHED') break;
    expect(close).not.toHaveBeenCalled();
  });

  test('throw() stops the source and rejects', async () => {
    const source = stuckSource();
    const events = toAguiEvents(source);
    await events.next();
    await events.next();
    await expect(events.throw(new Error('reader failed'))).rejects.toThrow('reader failed');
    await source.stopped;
  });

  test('a finished run leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await collect(toAguiEvents('text', { signal }));
    expect(remove).toHaveBeenCalledWith('abort', add.mock.calls[0]?.[1]);
  });
});
