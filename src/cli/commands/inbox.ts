import { setTimeout as pause } from 'node:timers/promises';
import { HoldpointError, isRecord, messageOf } from '../../core/index.ts';
import type { InboxAnswer } from '../../client/index.ts';
import type { Call, Command } from '../command.ts';
import type { HostInbox, Item } from '../host-inbox.ts';
import { hostInbox } from '../host-inbox.ts';
import { paint, plain, plainLine } from '../terminal.ts';

/** Milliseconds between two looks at what is behind a full first page, which tells nothing of it. */
const LOOK_MS = 2000;

/** The inbox on a terminal, over HTTP. */
export const inbox: Command = {
  usage:
    'inbox [list | show <n> | approve <n> | reject <n> [reason] | answer <n> <json or text> | cancel <n> | watch]',
  summary: 'what waits for an answer, and answering it, from a terminal',
  flags: {
    url: { type: 'string', help: 'the host (default http://127.0.0.1:4680, or HOLDPOINT_URL)' },
    token: { type: 'string', help: 'a bearer token (or HOLDPOINT_TOKEN)' },
    json: { type: 'boolean', help: 'as JSON, for programs' },
  },
  async run(call) {
    const [action = 'list', which, ...rest] = call.words;
    const said = rest.join(' ');
    const host = hostInbox(call);
    switch (action) {
      case 'list':
        return list(call, await host.list());
      case 'show':
        return show(call, await pick(host, which));
      case 'approve':
      case 'reject': {
        const item = await pick(host, which);
        const payload = decision(item, { approved: action === 'approve', reason: said });
        return told(call, await host.answer(item, { status: 'resolved', payload }));
      }
      case 'answer': {
        const payload = valueOf(said);
        return told(call, await host.answer(await pick(host, which), { status: 'resolved', payload }));
      }
      case 'cancel':
        return told(call, await host.answer(await pick(host, which), { status: 'cancelled' }));
      case 'watch':
        return watch(call, host);
      default:
        throw new HoldpointError(
          'INPUT_INVALID',
          `There is no \`inbox ${action}\`. See \`holdpoint inbox --help\`.`,
        );
    }
  },
};

function list(call: Call, items: readonly Item[]): number {
  if (call.has('json')) call.terminal.out(`${JSON.stringify(items)}\n`);
  else if (items.length === 0) call.terminal.out('Nothing waits for an answer.\n');
  else items.forEach((item, index) => call.terminal.out(line(call, item, index + 1)));
  return 0;
}

function line({ terminal }: Call, { interrupt, agent, raisedAt }: Item, number: number): string {
  const { reason, message, expiresAt } = interrupt;
  const title = interrupt.metadata?.['title'];
  const text = plainLine(typeof title === 'string' ? title : (message ?? interrupt.id));
  const until = expiresAt === undefined ? '' : paint(terminal, 'yellow', plainLine(`  until ${expiresAt}`));
  const about = paint(terminal, 'dim', plainLine(`${reason} · ${agent} · ${ago(raisedAt)}`));
  return `${paint(terminal, 'cyan', String(number).padStart(3))}  ${paint(terminal, 'bold', text)}  ${about}${until}\n`;
}

function show(call: Call, item: Item): number {
  const { terminal } = call;
  if (call.has('json')) {
    terminal.out(`${JSON.stringify(item)}\n`);
    return 0;
  }
  const { interrupt, threadId, agent } = item;
  terminal.out(`${paint(terminal, 'bold', inside(interrupt.message ?? interrupt.id))}\n`);
  const fields = { reason: interrupt.reason, agent, thread: threadId, id: interrupt.id };
  for (const [name, value] of Object.entries(fields))
    terminal.out(`  ${name.padEnd(7)} ${plainLine(value)}\n`);
  for (const [name, value] of Object.entries(interrupt.metadata ?? {})) {
    const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
    terminal.out(`  ${plainLine(name)}: ${inside(text)}\n`);
  }
  if (interrupt.responseSchema !== undefined) {
    terminal.out(`  an answer looks like: ${plainLine(JSON.stringify(interrupt.responseSchema))}\n`);
  }
  return 0;
}

/** Text of several lines, further in than the lines of this command. */
function inside(text: string): string {
  return plain(text).replaceAll('\n', '\n      ');
}

/** Yes or no, in the form that the question wants it. Throws `INPUT_INVALID` where it is neither. */
function decision(
  { interrupt }: Item,
  { approved, reason }: { readonly approved: boolean; readonly reason: string },
): object {
  const schema = interrupt.responseSchema;
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {};
  const status = properties['status'];
  const choices: unknown = isRecord(status) ? status['enum'] : undefined;
  const word = approved ? 'APPROVED' : 'REJECTED';
  const more = reason === '' ? {} : { reason };
  if (Object.hasOwn(properties, 'approved') || schema === undefined) return { approved, ...more };
  if (Array.isArray(choices) && choices.includes(word)) return { status: word, ...more };
  throw new HoldpointError(
    'INPUT_INVALID',
    `This question is no yes or no: give what it asks for with \`holdpoint inbox answer ${interrupt.id} …\`.`,
  );
}

/** Says what became of an answer. */
function told(call: Call, { state, ...more }: InboxAnswer): number {
  const open = Array.isArray(more['open']) ? more['open'].length : 0;
  if (call.has('json')) call.terminal.out(`${JSON.stringify({ state, ...more })}\n`);
  else if (state === 'continued') call.terminal.out('Answered; the agent goes on.\n');
  else call.terminal.out(`Answered; ${open} more to answer before the agent goes on.\n`);
  return 0;
}

/** Each question once, as it comes, until the person stops it. A host that goes away is waited for. */
async function watch(call: Call, host: HostInbox): Promise<number> {
  const { terminal, signal } = call;
  // The first look says so where nobody is.
  let items = await host.list();
  let known = new Set<string>();
  const changes = host.changes();
  const nextChange = () => {
    const next = changes.next();
    // Whoever waits for it is told; a look may come between.
    next.catch(() => undefined);
    return next;
  };
  let change = nextChange();
  let isLong = false;
  while (!signal.aborted) {
    items.forEach((item, index) => {
      if (known.has(keyOf(item))) return;
      terminal.out(call.has('json') ? `${JSON.stringify(item)}\n` : line(call, item, index + 1));
    });
    known = new Set(items.map(keyOf));
    const look: Promise<undefined>[] = isLong
      ? [pause(LOOK_MS, undefined, { signal }).catch(() => undefined)]
      : [];
    const changed = await Promise.race([change, ...look]);
    if (changed?.done === true) break;
    if (changed !== undefined) {
      isLong = changed.value['next'] !== undefined;
      change = nextChange();
    }
    items = await host.list().catch((error: unknown) => {
      if (signal.aborted || HoldpointError.is(error, 'RUN_LOST')) return items;
      throw error;
    });
  }
  return 0;
}

/** Ids are unique on their thread. */
function keyOf({ threadId, interrupt }: Item): string {
  return JSON.stringify([threadId, interrupt.id]);
}

/** A question by its number in the list, or by its id. */
async function pick(host: HostInbox, which: string | undefined): Promise<Item> {
  if (which === undefined)
    throw new HoldpointError('INPUT_INVALID', 'Say which: its number in `holdpoint inbox`, or its id.');
  const items = await host.list();
  const found = items.find(({ interrupt }) => interrupt.id === which) ?? items[Number(which) - 1];
  if (found === undefined)
    throw new HoldpointError(
      'INTERRUPT_UNKNOWN',
      `No open question is ${which}; \`holdpoint inbox\` lists them.`,
    );
  return found;
}

/** JSON where it is, text otherwise. Throws `INPUT_INVALID` where it is nothing, or begins like JSON and is none. */
function valueOf(said: string): unknown {
  if (said === '')
    throw new HoldpointError('INPUT_INVALID', 'Say what: `holdpoint inbox answer 1 <json or text>`.');
  try {
    return JSON.parse(said) as unknown;
  } catch (error) {
    if (!/^\s*[{["]/.test(said)) return said;
    const sentence = `That begins like JSON and is none: ${messageOf(error)}. Mend it, or write text as JSON: ${JSON.stringify(said)}.`;
    throw new HoldpointError('INPUT_INVALID', sentence);
  }
}

function ago(time: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}
