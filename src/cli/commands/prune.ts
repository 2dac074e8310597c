import { HoldpointError } from '../../core/index.ts';
import { collectChanges, pruneThreads } from '../../ledger/index.ts';
import { folderFiles } from '../../host/node/index.ts';
import type { Command } from '../command.ts';
import { DB_FLAGS, openExistingStore } from '../open-store.ts';
import { plural, progress } from '../terminal.ts';

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Removes finished threads and keeps their history. */
export const prune: Command = {
  usage: 'prune --older-than 90d [--files …] [--db …]',
  summary: 'removes finished threads and keeps their history',
  flags: {
    'older-than': { type: 'string', help: 'minimum age of a thread: 90d, 12h, 30m, 60s' },
    files: { type: 'string', help: 'the folder of folderFiles, to remove its uploads too' },
    json: { type: 'boolean', help: 'JSON output' },
    ...DB_FLAGS,
  },
  async run(call) {
    const olderThanMs = duration(call.flag('older-than'));
    const store = await openExistingStore(call);
    const anchorChanges = collectChanges(store);
    const bar = progress(call.terminal, 'removed');
    try {
      const folder = call.flag('files');
      const files = folder === undefined ? undefined : folderFiles(folder);
      const removed = await pruneThreads(store, {
        olderThanMs,
        onProgress: ({ pruned }) => bar.set(pruned),
        alsoRemove: async (thread) => files?.remove?.(thread),
      });
      await anchorChanges();
      bar.end();
      call.terminal.out(
        call.has('json') ? `${JSON.stringify({ removed })}\n` : `Removed ${plural(removed, 'thread')}.\n`,
      );
      return 0;
    } finally {
      await store.close();
    }
  },
};

/** Parses an age such as `90d` into milliseconds. Throws `INPUT_INVALID`. */
export function duration(text: string | undefined): number {
  const match = /^(\d+)([smhd])$/.exec(text ?? '');
  const unit = match?.[2] as keyof typeof UNITS | undefined;
  if (match === null || unit === undefined) {
    throw new HoldpointError('INPUT_INVALID', 'Give an age: --older-than 90d (units: s, m, h, d).');
  }
  return Number(match[1]) * UNITS[unit];
}
