import { readFileSync } from 'node:fs';
import { defined, HoldpointError, isRecord, messageOf } from '../../core/index.ts';
import type { Anchor, AuditFinding, ThreadKey } from '../../ledger/index.ts';
import { anchorAll, exportHistory, verifyAll } from '../../ledger/index.ts';
import type { Call, Command } from '../command.ts';
import { DB_FLAGS, openExistingStore, openStoreToRead } from '../open-store.ts';
import { paint, plainLine, plural, progress } from '../terminal.ts';

/** Verifies or exports the history of decisions. */
export const audit: Command = {
  usage: 'audit verify [--anchor FILE] | anchor | export [--format jsonl|csv] [--scope …] [--thread …]',
  summary: 'compares the history with what is stored, prints its end to keep elsewhere, or exports it',
  flags: {
    anchor: { type: 'string', help: 'verify: a file with ends that `audit anchor` printed' },
    format: { type: 'string', help: 'jsonl (default) or csv' },
    scope: { type: 'string', help: 'only this scope (tenant)' },
    thread: { type: 'string', help: 'only this thread' },
    json: { type: 'boolean', help: 'JSON output' },
    ...DB_FLAGS,
  },
  async run(call) {
    const [action] = call.words;
    if (action === 'verify') return verify(call);
    if (action === 'anchor') return anchor(call);
    if (action === 'export') return write(call);
    throw new HoldpointError(
      'INPUT_INVALID',
      'Give an action: `holdpoint audit verify`, `holdpoint audit anchor` or `holdpoint audit export`.',
    );
  },
};

function filterOf(call: Call): { readonly scope?: string; readonly thread?: string } {
  return defined({ scope: call.flag('scope'), thread: call.flag('thread') });
}

/** Threads that are named one by one as not anchored. */
const MOST_NAMED = 10;

async function verify(call: Call): Promise<number> {
  const { terminal } = call;
  const kept = keptAnchors(call.flag('anchor'));
  const store = await openStoreToRead(call);
  const bar = progress(terminal, 'threads checked');
  try {
    let checked = 0;
    let anchor: Anchor | undefined;
    const findings: AuditFinding[] = [];
    const unanchored: { readonly key: ThreadKey; readonly entries: number }[] = [];
    for await (const finding of verifyAll(store, {
      ...filterOf(call),
      kept,
      onAnchor: (end) => (anchor = end),
      onUnanchored: (one) => unanchored.push(one),
      onProgress: (seen) => bar.set((checked = seen.checked)),
      signal: call.signal,
    })) {
      findings.push(finding);
      bar.end();
      if (!call.has('json')) terminal.out(`${paint(terminal, 'red', 'changed')} ${sentenceOf(finding)}\n`);
    }
    bar.end();
    if (call.has('json')) terminal.out(`${JSON.stringify({ checked, findings, anchor, unanchored })}\n`);
    else {
      terminal.out(
        findings.length === 0
          ? `Verified ${plural(checked, 'thread')}: no entry and no row was changed, removed or moved.\n`
          : `Found ${plural(findings.length, 'difference')} in ${plural(checked, 'thread')}. Compare with a backup.\n`,
      );
      terminal.out(anchorText(anchor, kept.length));
      for (const { key, entries } of unanchored.slice(0, MOST_NAMED))
        terminal.out(`not anchored yet: ${nameOf(key)}, ${entries} of its entries\n`);
      if (unanchored.length > MOST_NAMED)
        terminal.out(`not anchored yet: ${plural(unanchored.length - MOST_NAMED, 'more thread')}\n`);
    }
    return findings.length === 0 ? 0 : 1;
  } finally {
    bar.end();
    await store.close();
  }
}

function nameOf({ scope, thread }: ThreadKey): string {
  return plainLine(`${scope}/${thread}`);
}

function sentenceOf({ key, says }: AuditFinding): string {
  return key === undefined ? plainLine(says) : `${nameOf(key)}: ${plainLine(says)}`;
}

function anchorText(anchor: Anchor | undefined, kept: number): string {
  if (anchor === undefined) return 'The database has no chain of anchors yet.\n';
  const against = kept === 0 ? '' : `, compared with ${plural(kept, 'kept end')}`;
  const { count, at } = anchor;
  return `The chain of anchors ends with entry ${count}, of ${new Date(at).toISOString()}${against}.\n`;
}

/** The ends in a file that `audit anchor` wrote, one in each line. Throws `INPUT_INVALID`. */
function keptAnchors(path: string | undefined): readonly Pick<Anchor, 'count' | 'hash'>[] {
  if (path === undefined) return [];
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new HoldpointError('INPUT_INVALID', `The file ${path} cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const ends = lines.map((line, at) => {
    const end = parsed(line);
    const { count, hash } = isRecord(end) ? end : {};
    if (typeof count === 'number' && typeof hash === 'string') return { count, hash };
    throw new HoldpointError(
      'INPUT_INVALID',
      `Line ${at + 1} of ${path} is no end of the chain. Give a file that \`holdpoint audit anchor\` wrote.`,
    );
  });
  if (ends.length > 0) return ends;
  throw new HoldpointError(
    'INPUT_INVALID',
    `${path} is empty. Give a file that \`holdpoint audit anchor\` wrote.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function anchor(call: Call): Promise<number> {
  const store = await openExistingStore(call);
  try {
    const end = await anchorAll(store);
    if (end === undefined) {
      call.terminal.err('There is no history to anchor yet.\n');
      return 1;
    }
    call.terminal.out(`${JSON.stringify({ ...end, at: new Date(end.at).toISOString() })}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

async function write(call: Call): Promise<number> {
  const format = call.flag('format') ?? 'jsonl';
  if (format !== 'jsonl' && format !== 'csv') {
    throw new HoldpointError('INPUT_INVALID', `Unknown format ${format}. Use jsonl or csv.`);
  }
  const store = await openStoreToRead(call);
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
