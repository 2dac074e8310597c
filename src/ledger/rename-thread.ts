import type { Access } from './access.ts';
import { unknownThread } from './access.ts';
import { workAs } from './thread-work.ts';

/** Sets the title of a thread. Throws `THREAD_UNKNOWN`. */
export function renameThread(access: Access<'run'>, title: string): Promise<void> {
  return workAs(access, [], ({ thread }) => {
    if (thread === undefined || thread.pruned !== undefined) throw unknownThread(access.key.thread);
    return { change: { thread: { ...thread, title } }, result: undefined };
  });
}
