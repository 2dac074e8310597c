import { HoldpointError } from '../../core/index.ts';
import { pruneThreads } from '../../ledger/index.ts';
import { folderFiles } from '../../host/node/index.ts';
import type { Command } from '../command.ts';
import { DB_FLAGS, openKeptStore } from '../open-store.ts';
import { progress } from '../terminal.ts';

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Removes finished threads and keeps who decided what. */
export const prune: Command = {
  usage: 'prune --older-than 90d [--files …] [--db …]',
  summary: 'removes finished threads; their history stays',
  flags: {
    'older-than': { type: 'string', help: 'such as 90d, 12h, 30m' },
    files: { type: 'string', help: 'the folder that uploads are kept in, where folderFiles keeps them' },
    json: { type: 'boolean', help: 'as JSON, for programs' },
    ...DB_FLAGS,
  },
  async run(call) {
    const olderThan = duration(call.flag('older-than'));
    const store = await openKeptStore(call);
    const bar = progress(call.terminal, 'removed');
    try {
      const folder = call.flag('files');
      const files = folder === undefined ? undefined : folderFiles(folder);
      const removed = await pruneThreads(store, {
        olderThan,
        onProgress: ({ pruned }) => bar.set(pruned),
        alsoRemove: async (thread) => files?.remove?.(thread),
      });
      bar.end();
      call.terminal.out(
        call.has('json') ? `${JSON.stringify({ removed })}\n` : `Removed ${removed} threads.\n`,
      );
      return 0;
    } finally {
      await store.close();
    }
  },
};

/** A time span as people write it. Throws `INPUT_INVALID`. */
export function duration(text: string | undefined): number {
  const match = /^(\d+)([smhd])$/.exec(text ?? '');
  const unit = match?.[2] as keyof typeof UNITS | undefined;
  if (match === null || unit === undefined) {
    throw new HoldpointError('INPUT_INVALID', 'Say how old: --older-than 90d (also s, m, h).');
  }
  return Number(match[1]) * UNITS[unit];
}
