import { defined, HoldpointError } from '../../core/index.ts';
import { folderFiles } from '../../host/node/index.ts';
import { collectChanges, erasePerson, eraseThread } from '../../ledger/index.ts';
import type { Command } from '../command.ts';
import { DB_FLAGS, openExistingStore } from '../open-store.ts';
import { plainLine, plural, progress } from '../terminal.ts';

/** Erases the data of a person or of a thread; the history still verifies. */
export const erase: Command = {
  usage: 'erase --person … | --thread … --yes [--scope …] [--files …] [--db …]',
  summary: 'erases the data of a person or a thread; the history still verifies',
  flags: {
    person: { type: 'string', help: 'the id of a person: their threads, answers, grants and name' },
    thread: { type: 'string', help: 'the id of one thread' },
    scope: { type: 'string', help: 'the scope (tenant); default `default`' },
    files: { type: 'string', help: 'the folder of folderFiles, to remove the uploads of erased threads too' },
    yes: { type: 'boolean', help: 'confirms: erased data cannot be restored' },
    json: { type: 'boolean', help: 'JSON output' },
    ...DB_FLAGS,
  },
  async run(call) {
    const { terminal } = call;
    const person = call.flag('person');
    const thread = call.flag('thread');
    const scope = call.flag('scope') ?? 'default';
    if ((person === undefined) === (thread === undefined))
      throw new HoldpointError('INPUT_INVALID', 'Give either --person or --thread.');
    if (!call.has('yes'))
      throw new HoldpointError('INPUT_INVALID', 'Erased data cannot be restored. Add --yes to erase.');
    const store = await openExistingStore(call);
    const anchorChanges = collectChanges(store);
    const folder = call.flag('files');
    const files = folder === undefined ? undefined : folderFiles(folder);
    const alsoRemove =
      files === undefined ? undefined : async (key: { scope: string; thread: string }) => files.remove?.(key);
    const bar = progress(terminal, 'threads checked');
    try {
      if (thread !== undefined) {
        const isErased = await eraseThread(store, { scope, thread }, defined({ alsoRemove }));
        await anchorChanges();
        const outcome = isErased ? `Erased the thread ${plainLine(thread)}.` : 'Nothing was erased.';
        terminal.out(call.has('json') ? `${JSON.stringify({ erased: isErased })}\n` : `${outcome}\n`);
        return isErased ? 0 : 1;
      }
      const erased = await erasePerson(store, {
        scope,
        person: person ?? '',
        ...defined({ alsoRemove }),
        onProgress: ({ checked }) => bar.set(checked),
        signal: call.signal,
      });
      await anchorChanges();
      bar.end();
      if (call.has('json')) terminal.out(`${JSON.stringify(erased)}\n`);
      else {
        const { threads, others, grants, busy } = erased;
        terminal.out(
          `Erased ${plural(threads, 'thread')}, traces in ${plural(others, 'other thread')}, ${plural(grants, 'grant')}.\n`,
        );
        if (busy.length > 0)
          terminal.out(
            `${plural(busy.length, 'thread')} had an unfinished turn: erase again when they are done.\n`,
          );
      }
      return erased.busy.length === 0 ? 0 : 1;
    } finally {
      bar.end();
      await store.close();
    }
  },
};
