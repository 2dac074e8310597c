import { expect, it } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { storeMemory } from './a2a-memory.ts';

it('storeMemory reads the member interrupts of earlier versions as interrupts', async () => {
  const store = memoryStore();
  const key = { scope: 'default', thread: 't' };
  const pause = { state: 'input-required', repeats: 0 };
  const interrupts = [{ id: 'input-task-1', request: {}, text: 'Which size?' }];
  const value: JsonObject = { taskId: 'task', asked: 1, pause: { ...pause, interrupts: interrupts } };
  await store.commit({
    puts: [{ table: 'files', key: { ...key, id: 'a2a:shop:task:task' }, doc: { value }, index: {} }],
  });
  expect((await storeMemory(store, 'shop').readTask(key, 'task'))?.value).toEqual({
    taskId: 'task',
    asked: 1,
    pause: { ...pause, interrupts },
  });
});
