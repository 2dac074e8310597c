import type { AGUIEvent, BaseEvent } from '@ag-ui/core';
import { EventSchema } from '@ag-ui/core/schemas';
import { expect, expectTypeOf, test } from 'vitest';

import type { CoreEvent } from './core-event.ts';
import type { SnakeEvent } from './naming.ts';
import { collect } from './testing-support/collect.ts';
import { toAguiEvents } from './to-agui-events.ts';

/** AG-UI's own events, with string literals in place of the enum. */
type Plain<Event> = Event extends { type: infer Type extends string }
  ? Omit<Event, 'type'> & { type: `${Type}` }
  : never;

test('each core event has the type of an AG-UI event', () => {
  expectTypeOf<CoreEvent>().toExtend<Plain<AGUIEvent>>();
  expectTypeOf<CoreEvent['type']>().toExtend<`${BaseEvent['type']}`>();
});

test('each core event passes the official schema unchanged', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'text';
    throw new Error('no');
  }
  for (const source of ['text', failing()]) {
    for (const event of await collect(toAguiEvents(source))) expect(EventSchema.parse(event)).toEqual(event);
  }
});

test('the naming option decides the type of the events', () => {
  expectTypeOf(toAguiEvents('')).toEqualTypeOf<AsyncGenerator<CoreEvent, undefined, undefined>>();
  const snake = toAguiEvents('', { naming: 'snake' });
  expectTypeOf(snake).toEqualTypeOf<AsyncGenerator<SnakeEvent<CoreEvent>, undefined, undefined>>();
  type Started = Extract<SnakeEvent<CoreEvent>, { type: 'run_started' }>;
  expectTypeOf<keyof Started>().toEqualTypeOf<
    'type' | 'timestamp' | 'thread_id' | 'run_id' | 'protocol_version'
  >();
});
