import { setTimeout as pause } from 'node:timers/promises';
import { defined, HoldpointError, isRecord, messageOf, parseUniqueJson } from '../../core/index.ts';
import type { InboxAnswer } from '../../client/index.ts';
import {
  answerFormsOf,
  isApprovable,
  respond,
  responseSchemaOf,
  restart,
  schemaOfForm,
} from '../../content/interrupts/index.ts';
import { ANONYMOUS } from '../../ledger/index.ts';
import { approvalOf, payloadOf, schemaEffectOf } from '../../protocol/index.ts';
import type { Call, Command } from '../command.ts';
import type { HostInbox, Item } from '../host-inbox.ts';
import { hostInbox } from '../host-inbox.ts';
import { paint, plain, plainLine } from '../terminal.ts';

/** Milliseconds between two polls of the later pages, which the stream of the first page does not cover. */
const POLL_MS = 2000;
/** Minimum length of an id in a list: the time and the counter of a UUIDv7. */
const SHOWN_ID_LENGTH = 18;
/** Minimum length of the start of an id, so that a position in the list is not mistaken for an id. */
const MIN_PREFIX_LENGTH = 8;
const MAX_CANDIDATES = 10;
const MAX_TITLE_LENGTH = 80;
const MAX_ARGUMENTS_LENGTH = 500;

/** Lists and answers the open interrupts of a host, over HTTP. */
export const inbox: Command = {
  usage:
    'inbox [list | show <id> | approve <id> | reject <id> [reason] | answer <id> <json or text> | respond <id> <json or text> | restart <id> <json or text> | cancel <id> | withdraw <id> [reason] | watch]',
  summary: 'lists open interrupts and answers them',
  flags: {
    url: { type: 'string', help: 'the host (default http://127.0.0.1:4680, or HOLDPOINT_URL)' },
    token: { type: 'string', help: 'a bearer token (or HOLDPOINT_TOKEN)' },
    as: { type: 'string', help: 'a role of the demo: owner, asker, reviewer or cfo (default owner)' },
    json: { type: 'boolean', help: 'JSON output' },
  },
  async run(call) {
    const [action = 'list', which, ...rest] = call.words;
    const text = rest.join(' ');
    const host = hostInbox(call);
    switch (action) {
      case 'list':
        return list(call, await host.list());
      case 'show':
        return show(call, await pick(host, which));
      case 'approve':
      case 'reject': {
        const item = await pickToAnswer(host, which);
        const payload = decision(item, { approved: action === 'approve', reason: text });
        const done = action === 'approve' ? 'Approved' : 'Rejected';
        return confirm(call, await host.answer(item, { status: 'resolved', payload }), { done, item });
      }
      case 'answer': {
        const value = valueOf(text);
        const item = await pickToAnswer(host, which);
        const payload = asksForText(item) && typeof value !== 'string' ? text : value;
        return confirm(call, await host.answer(item, { status: 'resolved', payload }), {
          done: 'Answered',
          item,
        });
      }
      case 'respond':
      case 'restart': {
        const value = valueOf(text);
        const item = await pickToAnswer(host, which);
        const isOutput = action === 'respond';
        const schema = schemaOfForm(item.interrupt, isOutput ? 'output' : 'resume');
        const payload = schema?.['type'] === 'string' && typeof value !== 'string' ? text : value;
        const { interruptId: _id, ...answer } = (isOutput ? respond : restart)(item.interrupt, payload);
        const done = isOutput ? 'Gave the result of' : 'Ran again';
        return confirm(call, await host.answer(item, answer), { done, item });
      }
      case 'cancel': {
        const item = await pickToAnswer(host, which);
        return confirm(call, await host.answer(item, { status: 'cancelled' }), { done: 'Cancelled', item });
      }
      case 'withdraw': {
        const item = await pick(host, which);
        return confirm(call, await host.withdraw(item, text), { done: 'Withdrew', item });
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
  const end = item['status'] === 'expired' ? 'expired' : 'until';
  const until = expiresAt === undefined ? '' : paint(terminal, 'yellow', plainLine(`  ${end} ${expiresAt}`));
  const asker = askerOf(item);
  // The viewer's own requests need no name.
  const asked = asker === undefined || asker === 'you' ? '' : ` · asked by ${asker}`;
  const waits = item.mayAnswer === false ? ` · waits for ${whoMayAnswer(item)}` : '';
  const about = paint(terminal, 'dim', plainLine(`${reason} · ${agent}${asked} · ${ago(raisedAt)}${waits}`));
  const name = paint(terminal, 'cyan', plainLine(names.get(item) ?? interrupt.id));
  return `${name}  ${paint(terminal, 'bold', text)}  ${about}${until}\n`;
}

function titleOf({ interrupt }: Item): string {
  const title = interrupt.metadata?.['title'];
  return typeof title === 'string' ? title : (interrupt.message ?? interrupt.id);
}

/** The person who asked: `you`, or an id; undefined on a host without logins. */
function askerOf({ askedBy, askedByYou }: Item): string | undefined {
  if (typeof askedBy !== 'string' || askedBy === ANONYMOUS.id) return undefined;
  return askedByYou === true ? 'you' : askedBy;
}

/** The people who may answer, for a caller who may not. */
function whoMayAnswer({ approvers, barredAsAsker }: Item): string {
  const { roles = [], principals = [] } = approvers ?? {};
  const names = [...roles, ...principals].join(' or ');
  if (barredAsAsker !== true) return names === '' ? 'another person' : names;
  if (principals.length > 0) return `${names} (not you, because you asked)`;
  return `another person${names === '' ? '' : ` of ${names}`}, because you asked`;
}

/** An interrupt that the caller answers. Throws `ANSWER_FORBIDDEN` for the own request of the caller that another person has to answer. */
async function pickToAnswer(host: HostInbox, which: string | undefined): Promise<Item> {
  const item = await pick(host, which);
  if (item.barredAsAsker !== true) return item;
  const { id } = item.interrupt;
  const next = item.mayWithdraw === true ? ` \`holdpoint inbox withdraw ${id}\` takes it back.` : '';
  const sentence = plainLine(`“${titleOf(item)}” waits for ${whoMayAnswer(item)}.${next}`);
  throw new HoldpointError('ANSWER_FORBIDDEN', sentence);
}

/** The tool call of an interrupt, if it has one. */
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
  terminal.out(`${paint(terminal, 'bold', indented(interrupt.message ?? interrupt.id))}\n`);
  const asker = askerOf(item);
  const isExpired = item['status'] === 'expired';
  const fields = {
    reason: interrupt.reason,
    agent,
    thread: threadId,
    id: interrupt.id,
    ...defined({
      asked: asker === undefined ? undefined : `by ${asker}`,
      waits: item.mayAnswer === false ? `for ${whoMayAnswer(item)}` : undefined,
      [isExpired ? 'expired' : 'until']: interrupt.expiresAt,
    }),
  };
  for (const [name, value] of Object.entries(fields))
    terminal.out(`  ${name.padEnd(7)} ${plainLine(value)}\n`);
  const { schemaEffect: _effect, ...metadata } = interrupt.metadata ?? {};
  for (const [name, value] of Object.entries(metadata)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
    terminal.out(`  ${plainLine(name)}: ${indented(text)}\n`);
  }
  const { dropped = {}, converted } = schemaEffectOf(interrupt);
  for (const [pointer, value] of Object.entries(dropped)) {
    const text = indented(JSON.stringify(value, undefined, 2));
    terminal.out(`  dropped: ${plainLine(pointer)} ${text} (the tool does not get it)\n`);
  }
  if (converted === true) terminal.out('  converted by the tool: it reads the arguments in its own form\n');
  const schema = responseSchemaOf(interrupt);
  if (Object.keys(schema).length > 0) {
    terminal.out(`  answer schema: ${plainLine(JSON.stringify(schema))}\n`);
  }
  const forms = answerFormsOf(interrupt);
  if (forms.length > 1) {
    terminal.out('  `respond` gives the result of the call, `restart` runs it again with the answer.\n');
  }
  return 0;
}

/** Indents further lines of a text below the lines of this command. */
function indented(text: string): string {
  return plain(text).replaceAll('\n', '\n      ');
}

/** The payload of a decision, in the form of the response schema. Throws `INPUT_INVALID` if the interrupt cannot be approved. */
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
    `${id} cannot be approved or rejected. Answer it with \`holdpoint inbox answer ${id} <json or text>\`; \`holdpoint inbox show ${id}\` shows its answer schema.`,
  );
}

/** Whether `42` is a text as an answer. An agent that says nothing about the answer takes any JSON: its `false` is not a text. */
function asksForText({ interrupt }: Item): boolean {
  const { responseSchema, metadata } = interrupt;
  const payload = payloadOf(interrupt);
  const inputType = metadata?.['inputType'] ?? (isRecord(payload) ? payload['inputType'] : undefined);
  if (responseSchema === undefined && inputType === undefined) return false;
  return responseSchemaOf(interrupt)['type'] === 'string';
}

/** Prints the action, the interrupt and the next step. */
function confirm(
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
    about.arguments === undefined ? '' : ` ${short(JSON.stringify(about.arguments), MAX_ARGUMENTS_LENGTH)}`;
  const tool = about.toolName === undefined ? '' : `, ${about.toolName}${args}`;
  call.terminal.out(`${plainLine(`${done} “${titleOf(item)}”${tool}`)}. ${next}\n`);
  return 0;
}

function short(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/** Prints each interrupt once, when it is raised, until the signal aborts. Waits for a host that stops. */
async function watch(call: Call, host: HostInbox): Promise<number> {
  const { terminal, signal } = call;
  // Fails if no host answers.
  let items = await host.list();
  let known = new Set<string>();
  const changes = host.changes();
  const nextChange = () => {
    const next = changes.next();
    // Awaited later; a poll may come first.
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
    const poll: Promise<undefined>[] = isLong
      ? [pause(POLL_MS, undefined, { signal }).catch(() => undefined)]
      : [];
    const changed = await Promise.race([change, ...poll]);
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

/** A key across threads: ids are unique on their thread only. */
function keyOf({ threadId, interrupt }: Item): string {
  return JSON.stringify([threadId, interrupt.id]);
}

/**
 * The names of interrupts in a list: the shortest start of the id that no other id has, and at least the time and counter of a UUIDv7,
 * which no later id shares. Short ids, and ids that two threads share, are shown as `<thread>/<id>`.
 */
function namesOf(items: readonly Item[]): ReadonlyMap<Item, string> {
  const sorted = items.toSorted((left, right) => (left.interrupt.id < right.interrupt.id ? -1 : 1));
  return new Map(
    sorted.map((item, index) => {
      const { id } = item.interrupt;
      const beside = [sorted[index - 1], sorted[index + 1]].map((other) => other?.interrupt.id);
      if (beside.includes(id) || id.length < SHOWN_ID_LENGTH) return [item, `${item.threadId}/${id}`];
      const shared = beside.map((other = '') => sharedLength(id, other));
      return [item, id.slice(0, Math.max(SHOWN_ID_LENGTH, ...shared.map((length) => length + 1)))];
    }),
  );
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/**
 * Finds an open interrupt by its id, by `<thread>/<id>`, or by a unique start of its id. A position in the list is not accepted, because
 * the list may have changed. Throws `INPUT_INVALID` or `INTERRUPT_UNKNOWN`, with the candidates.
 */
async function pick(host: HostInbox, which: string | undefined): Promise<Item> {
  if (which === undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'Give the id of an interrupt. `holdpoint inbox` lists the ids.',
    );
  }
  const items = await host.list();
  const exact = items.filter(
    ({ interrupt, threadId }) => interrupt.id === which || `${threadId}/${interrupt.id}` === which,
  );
  const isLong = which.length >= MIN_PREFIX_LENGTH;
  const found =
    exact.length > 0 || !isLong ? exact : items.filter(({ interrupt }) => interrupt.id.startsWith(which));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `${which} matches ${found.length} interrupts. ${candidates(found)}`,
    );
  }
  if (isLong) {
    const sentence = `No open interrupt has an id that starts with ${which}. ${candidates(items)}`;
    throw new HoldpointError('INTERRUPT_UNKNOWN', sentence);
  }
  const sentence = `${which} is not an id. Give an id, or at least its first ${MIN_PREFIX_LENGTH} characters. ${candidates(items)}`;
  throw new HoldpointError('INPUT_INVALID', sentence);
}

/** A sentence that lists interrupts with their titles. */
function candidates(items: readonly Item[]): string {
  if (items.length === 0) return 'Nothing waits for an answer.';
  const names = namesOf(items);
  const listed = items.slice(0, MAX_CANDIDATES).map((item) => {
    const { id } = item.interrupt;
    const name = names.get(item)?.endsWith(`/${id}`) === true ? `${item.threadId}/${id}` : id;
    return plainLine(`${name} (${short(titleOf(item), MAX_TITLE_LENGTH)})`);
  });
  const more = items.length > listed.length ? ` and ${items.length - listed.length} more` : '';
  return `Open: ${listed.join(', ')}${more}.`;
}

/**
 * Reads an answer as JSON, else as text. Throws `INPUT_INVALID` for an empty answer, for a text that starts like JSON but does not
 * parse, and for an object that has a member twice.
 */
function valueOf(text: string): unknown {
  if (text === '')
    throw new HoldpointError(
      'INPUT_INVALID',
      'Give an answer: `holdpoint inbox answer <id> <json or text>`.',
    );
  try {
    return parseUniqueJson(text);
  } catch (error) {
    if (!(HoldpointError.is(error) && error.cause instanceof SyntaxError)) throw error;
    if (!/^\s*[{["]/.test(text)) return text;
    const sentence = `This looks like JSON but does not parse: ${messageOf(error.cause)}. Fix it, or quote it to send it as text: ${JSON.stringify(text)}.`;
    throw new HoldpointError('INPUT_INVALID', sentence);
  }
}

function ago(time: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}
