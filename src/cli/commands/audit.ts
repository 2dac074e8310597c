import { defined, HoldpointError } from '../../core/index.ts';
import { exportHistory, verifyAll } from '../../ledger/index.ts';
import type { Call, Command } from '../command.ts';
import { DB_FLAGS, openExistingStore } from '../open-store.ts';
import { paint, plainLine, plural, progress } from '../terminal.ts';

/** Verifies or exports the history of decisions. */
export const audit: Command = {
  usage: 'audit verify | export [--format jsonl|csv] [--scope …] [--thread …]',
  summary: 'verifies that no entry of the history was changed, or exports the history',
  flags: {
    format: { type: 'string', help: 'jsonl (default) or csv' },
    scope: { type: 'string', help: 'only this scope (tenant)' },
    thread: { type: 'string', help: 'only this thread' },
    json: { type: 'boolean', help: 'JSON output' },
    ...DB_FLAGS,
  },
  async run(call) {
    const [action] = call.words;
    if (action === 'verify') return verify(call);
    if (action === 'export') return write(call);
    throw new HoldpointError(
      'INPUT_INVALID',
      'Give an action: `holdpoint audit verify` or `holdpoint audit export`.',
    );
  },
};

function filterOf(call: Call): { readonly scope?: string; readonly thread?: string } {
  return defined({ scope: call.flag('scope'), thread: call.flag('thread') });
}

async function verify(call: Call): Promise<number> {
  const { terminal } = call;
  const store = await openExistingStore(call);
  const bar = progress(terminal, 'threads checked');
  try {
    let checked = 0;
    const broken: object[] = [];
    for await (const finding of verifyAll(store, {
      ...filterOf(call),
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
      terminal.out(`Verified ${plural(checked, 'thread')}: no entry was changed, removed or moved.\n`);
    else
      terminal.out(
        `The history of ${broken.length} of ${plural(checked, 'thread')} was changed. Compare it with a backup.\n`,
      );
    return broken.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

async function write(call: Call): Promise<number> {
  const format = call.flag('format') ?? 'jsonl';
  if (format !== 'jsonl' && format !== 'csv') {
    throw new HoldpointError('INPUT_INVALID', `Unknown format ${format}. Use jsonl or csv.`);
  }
  const store = await openExistingStore(call);
  const bar = progress(call.terminal, 'entries written');
  try {
    const onProgress = ({ exported }: { readonly exported: number }) => bar.set(exported);
    for await (const piece of exportHistory(store, { ...filterOf(call), format, onProgress })) {
      // On the same screen, the output replaces the progress line.
      if (call.terminal.isTty) bar.end();
      call.terminal.out(piece);
    }
    bar.end();
    return 0;
  } finally {
    await store.close();
  }
}
