import { HoldpointError } from '../../core/index.ts';
import { exportHistory, verifyAll } from '../../ledger/index.ts';
import type { Call, Command } from '../command.ts';
import { DB_FLAGS, openKeptStore } from '../open-store.ts';
import { paint, plainLine, progress } from '../terminal.ts';

/** Who decided what: checked, and taken out. */
export const audit: Command = {
  usage: 'audit verify | export [--format jsonl|csv] [--scope …] [--thread …]',
  summary: 'checks that no row of the history was changed, or writes it out',
  flags: {
    format: { type: 'string', help: 'jsonl (default) or csv' },
    scope: { type: 'string', help: 'only this tenant' },
    thread: { type: 'string', help: 'only this thread' },
    json: { type: 'boolean', help: 'as JSON, for programs' },
    ...DB_FLAGS,
  },
  async run(call) {
    const [action] = call.words;
    if (action === 'verify') return verify(call);
    if (action === 'export') return write(call);
    throw new HoldpointError(
      'INPUT_INVALID',
      'Say what: `holdpoint audit verify` or `holdpoint audit export`.',
    );
  },
};

function whichOf(call: Call): { readonly scope?: string; readonly thread?: string } {
  const scope = call.flag('scope');
  const thread = call.flag('thread');
  return { ...(scope === undefined ? {} : { scope }), ...(thread === undefined ? {} : { thread }) };
}

async function verify(call: Call): Promise<number> {
  const { terminal } = call;
  const store = await openKeptStore(call);
  const bar = progress(terminal, 'threads checked');
  try {
    let checked = 0;
    const broken: object[] = [];
    for await (const finding of verifyAll(store, {
      ...whichOf(call),
      onProgress: (seen) => bar.set((checked = seen.checked)),
    })) {
      broken.push(finding);
      bar.end();
      if (!call.has('json')) {
        terminal.out(
          `${paint(terminal, 'red', 'changed')} ${plainLine(`${finding.key.scope}/${finding.key.thread}`)}: entry ${finding.index + 1}\n`,
        );
      }
    }
    bar.end();
    if (call.has('json')) terminal.out(`${JSON.stringify({ checked, broken })}\n`);
    else if (broken.length === 0)
      terminal.out(`${checked} threads: nothing was changed, left out or moved.\n`);
    else
      terminal.out(
        `${broken.length} of ${checked} threads are not as they were written: compare them with a backup.\n`,
      );
    return broken.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

async function write(call: Call): Promise<number> {
  const format = call.flag('format') ?? 'jsonl';
  if (format !== 'jsonl' && format !== 'csv') {
    throw new HoldpointError('INPUT_INVALID', `There is no format ${format}; there are jsonl and csv.`);
  }
  const store = await openKeptStore(call);
  const bar = progress(call.terminal, 'entries written');
  try {
    const onProgress = ({ exported }: { readonly exported: number }) => bar.set(exported);
    for await (const piece of exportHistory(store, { ...whichOf(call), format, onProgress })) {
      // On the same screen the lines take the place of the bar.
      if (call.terminal.isTty) bar.end();
      call.terminal.out(piece);
    }
    bar.end();
    return 0;
  } finally {
    await store.close();
  }
}
