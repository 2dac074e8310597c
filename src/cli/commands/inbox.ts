import { setTimeout as pause } from 'node:timers/promises';
import { HoldpointError, isRecord, messageOf, parseUniqueJson } from '../../core/index.ts';
import type { InboxAnswer } from '../../client/index.ts';
import { approvalOf, isApprovable } from '../../protocol/index.ts';
import type { Call, Command } from '../command.ts';
import type { HostInbox, Item } from '../host-inbox.ts';
import { hostInbox } from '../host-inbox.ts';
import { paint, plain, plainLine } from '../terminal.ts';

/** Milliseconds between two looks at what is behind a full first page, which tells nothing of it. */
const LOOK_MS = 2000;
/** Characters of an id that a list shows at least: of a UUIDv7, its time and its counter. */
const SHOWN_ID = 18;
/** Characters that the beginning of an id needs to name an interrupt: a number of a list is no such beginning. */
const SHORTEST_PREFIX = 8;
const MAX_CANDIDATES = 10;
const MAX_TITLE = 80;
const MAX_ARGUMENTS = 500;

/** The inbox on a terminal, over HTTP. */
export const inbox: Command = {
  usage:
    'inbox [list | show <id> | approve <id> | reject <id> [reason] | answer <id> <json or text> | cancel <id> | watch]',
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
        const done = action === 'approve' ? 'Approved' : 'Rejected';
        return told(call, await host.answer(item, { status: 'resolved', payload }), { done, item });
      }
      case 'answer': {
        const payload = valueOf(said);
        const item = await pick(host, which);
        return told(call, await host.answer(item, { status: 'resolved', payload }), {
          done: 'Answered',
          item,
        });
      }
      case 'cancel': {
        const item = await pick(host, which);
        return told(call, await host.answer(item, { status: 'cancelled' }), { done: 'Cancelled', item });
      }
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
  else {
    const names = namesOf(items);
    for (const item of items) call.terminal.out(line(call, item, names));
  }
  return 0;
}

function line({ terminal }: Call, item: Item, names: ReadonlyMap<Item, string>): string {
  const { interrupt, agent, raisedAt } = item;
  const { reason, expiresAt } = interrupt;
  const text = plainLine(titleOf(item));
  const until = expiresAt === undefined ? '' : paint(terminal, 'yellow', plainLine(`  until ${expiresAt}`));
  const about = paint(terminal, 'dim', plainLine(`${reason} · ${agent} · ${ago(raisedAt)}`));
  const name = paint(terminal, 'cyan', plainLine(names.get(item) ?? interrupt.id));
  return `${name}  ${paint(terminal, 'bold', text)}  ${about}${until}\n`;
}

function titleOf({ interrupt }: Item): string {
  const title = interrupt.metadata?.['title'];
  return typeof title === 'string' ? title : (interrupt.message ?? interrupt.id);
}

/** The call that an interrupt is about, where it says so. */
function callOf({ interrupt }: Item): { readonly toolName?: string; readonly arguments?: unknown } {
  const { metadata = {} } = interrupt;
  const approval = approvalOf(interrupt);
  if (approval !== undefined)
    return { toolName: approval.functionName, arguments: approval.functionArguments };
  const { toolName, toolInput } = metadata;
  return typeof toolName === 'string' ? { toolName, arguments: toolInput } : {};
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

/** Yes or no, in the form that the interrupt wants it. Throws `INPUT_INVALID` for one that cannot be approved. */
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
  if (isApprovable(interrupt)) return { approved, ...more };
  if (Array.isArray(choices) && choices.includes(word)) return { status: word, ...more };
  const id = plainLine(interrupt.id);
  throw new HoldpointError(
    'INPUT_INVALID',
    `${id} asks for an answer, not for an approval: give it with \`holdpoint inbox answer ${id} <json or text>\`. \`holdpoint inbox show ${id}\` says what it asks for.`,
  );
}

/** Says what was done to which interrupt, and what comes next. */
function told(
  call: Call,
  { state, ...more }: InboxAnswer,
  { done, item }: { readonly done: string; readonly item: Item },
): number {
  const { threadId, interrupt } = item;
  const about = callOf(item);
  if (call.has('json')) {
    const what = { threadId, interruptId: interrupt.id, title: titleOf(item), ...about };
    call.terminal.out(`${JSON.stringify({ state, ...more, ...what })}\n`);
    return 0;
  }
  const open = Array.isArray(more['open']) ? more['open'].length : 0;
  const next =
    state === 'continued' ? 'The agent goes on.' : `${open} more to answer before the agent goes on.`;
  const args =
    about.arguments === undefined ? '' : ` ${short(JSON.stringify(about.arguments), MAX_ARGUMENTS)}`;
  const tool = about.toolName === undefined ? '' : `, ${about.toolName}${args}`;
  call.terminal.out(`${plainLine(`${done} “${titleOf(item)}”${tool}`)}. ${next}\n`);
  return 0;
}

function short(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
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
    const names = namesOf(items);
    for (const item of items) {
      if (known.has(keyOf(item))) continue;
      terminal.out(call.has('json') ? `${JSON.stringify(item)}\n` : line(call, item, names));
    }
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

/**
 * What each interrupt is called in a list: so much of its id that no other begins so, and never less than the time and the
 * counter of a UUIDv7, which no later id shares. Ids are unique on their thread only: an id that another thread has too, or
 * that is so short that one may have it tomorrow, has its thread before it.
 */
function namesOf(items: readonly Item[]): ReadonlyMap<Item, string> {
  const sorted = items.toSorted((left, right) => (left.interrupt.id < right.interrupt.id ? -1 : 1));
  return new Map(
    sorted.map((item, index) => {
      const { id } = item.interrupt;
      const beside = [sorted[index - 1], sorted[index + 1]].map((other) => other?.interrupt.id);
      if (beside.includes(id) || id.length < SHOWN_ID) return [item, `${item.threadId}/${id}`];
      const shared = beside.map((other = '') => sharedLength(id, other));
      return [item, id.slice(0, Math.max(SHOWN_ID, ...shared.map((length) => length + 1)))];
    }),
  );
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/**
 * The open interrupt of an id, of `<thread>/<id>`, or of the beginning of an id that no other has. A place in the list names
 * none: the list may have changed since it was shown. Throws `INPUT_INVALID` or `INTERRUPT_UNKNOWN`, with the candidates.
 */
async function pick(host: HostInbox, which: string | undefined): Promise<Item> {
  if (which === undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'Say which: the id of an interrupt, as `holdpoint inbox` shows it.',
    );
  }
  const items = await host.list();
  const exact = items.filter(
    ({ interrupt, threadId }) => interrupt.id === which || `${threadId}/${interrupt.id}` === which,
  );
  const isLong = which.length >= SHORTEST_PREFIX;
  const found =
    exact.length > 0 || !isLong ? exact : items.filter(({ interrupt }) => interrupt.id.startsWith(which));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `${which} names ${found.length} interrupts. ${candidates(found)}`,
    );
  }
  if (isLong) {
    const sentence = `No open interrupt has an id that begins with ${which}. ${candidates(items)}`;
    throw new HoldpointError('INTERRUPT_UNKNOWN', sentence);
  }
  const sentence = `${which} is not an id. Give an id, or at least its first ${SHORTEST_PREFIX} characters. ${candidates(items)}`;
  throw new HoldpointError('INPUT_INVALID', sentence);
}

/** A sentence that lists interrupts by their ids. */
function candidates(items: readonly Item[]): string {
  if (items.length === 0) return 'Nothing waits for an answer.';
  const names = namesOf(items);
  const listed = items.slice(0, MAX_CANDIDATES).map((item) => {
    const { id } = item.interrupt;
    const name = names.get(item)?.endsWith(`/${id}`) === true ? `${item.threadId}/${id}` : id;
    return plainLine(`${name} (${short(titleOf(item), MAX_TITLE)})`);
  });
  const more = items.length > listed.length ? ` and ${items.length - listed.length} more` : '';
  return `Open: ${listed.join(', ')}${more}.`;
}

/**
 * The JSON value that the words are, else the words as text. Throws `INPUT_INVALID` for no words, for words that start like
 * JSON but do not parse, and for an object that has a member twice.
 */
function valueOf(said: string): unknown {
  if (said === '')
    throw new HoldpointError('INPUT_INVALID', 'Say what: `holdpoint inbox answer <id> <json or text>`.');
  try {
    return parseUniqueJson(said);
  } catch (error) {
    if (!(HoldpointError.is(error) && error.cause instanceof SyntaxError)) throw error;
    if (!/^\s*[{["]/.test(said)) return said;
    const sentence = `This looks like JSON but does not parse: ${messageOf(error.cause)}. Fix it, or quote it to send it as text: ${JSON.stringify(said)}.`;
    throw new HoldpointError('INPUT_INVALID', sentence);
  }
}

function ago(time: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}
