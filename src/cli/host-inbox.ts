import type { InboxAnswer, InboxItem, ResumeEntry } from '../client/index.ts';
import { createClient, HoldpointError } from '../client/index.ts';
import type { UnknownRecord } from '../core/index.ts';
import { defined, everyPage } from '../core/index.ts';
import type { Problem } from './check-setting.ts';
import { checkToken, checkUrl } from './check-setting.ts';
import type { Call } from './command.ts';
import { ROLE_HEADER, roleNamed } from './demo/roles.ts';

/** An open interrupt, as the routes of a host return it. */
export interface Item extends InboxItem {
  readonly agent: string;
  readonly raisedAt: string;
}

/** The inbox of a host. Errors have the code and the message of the host. */
export interface HostInbox {
  /** All open interrupts, from all pages. */
  list(): Promise<readonly Item[]>;
  answer(item: Item, answer: Omit<ResumeEntry, 'interruptId'>): Promise<InboxAnswer>;
  withdraw(item: Item, reason: string): Promise<InboxAnswer>;
  /** Yields the first page after every change. Reconnects until the signal aborts. */
  changes(): AsyncGenerator<UnknownRecord, void, undefined>;
}

const DEFAULT_URL = 'http://127.0.0.1:4680';
const PAGE_SIZE = 200;
/** Silence after which the stream reconnects; a host sends a comment every 15 seconds. */
const STALL_MS = 45_000;

/** The inbox at `--url` or `HOLDPOINT_URL`. Throws `INPUT_INVALID` for an invalid address or token. */
export function hostInbox(call: Call): HostInbox {
  const base = (call.flag('url') ?? process.env['HOLDPOINT_URL'] ?? DEFAULT_URL).replace(/\/$/, '');
  const token = call.flag('token') ?? process.env['HOLDPOINT_TOKEN'];
  const role = call.flag('as') === undefined ? undefined : roleNamed(call.flag('as') ?? '').id;
  assertValid('The address', checkUrl(base));
  if (token !== undefined) assertValid('The token', checkToken(token));
  const { inbox } = createClient({
    url: base,
    base,
    headers: {
      ...defined({ authorization: token && `Bearer ${token}`, [ROLE_HEADER]: role }),
    },
    stallTimeoutMs: STALL_MS,
  });
  const fail = (error: unknown): never => {
    throw fromHost(error, base);
  };
  return {
    async list() {
      const items: Item[] = [];
      const list = (from: { readonly cursor?: string }) =>
        inbox.list({ limit: PAGE_SIZE, ...from }, call.signal).catch(fail);
      // The route returns this shape.
      for await (const page of everyPage(list)) items.push(...(page.interrupts as readonly Item[]));
      return items;
    },
    answer: ({ threadId, interrupt }, answer) =>
      inbox.answer(threadId, { interruptId: interrupt.id, ...answer }).catch(fail),
    withdraw: ({ threadId, interrupt }, reason) =>
      inbox.withdraw(threadId, interrupt.id, reason === '' ? {} : { reason }).catch(fail),
    async *changes() {
      try {
        yield* inbox.watch(call.signal);
      } catch (error) {
        fail(error);
      }
    },
  };
}

function assertValid(name: string, problem: Problem | undefined): void {
  if (problem === undefined) return;
  throw new HoldpointError('INPUT_INVALID', `${name} is not valid: ${problem.says}. ${problem.next}`);
}

/** Marks an error of the host with `details.host`, so that `runCli` can tell it from an invalid command line. */
function fromHost(error: unknown, host: string): unknown {
  if (!HoldpointError.is(error)) return error;
  const { code, message, issues, details } = error;
  const sentence =
    code === 'RUN_LOST'
      ? `No host answers at ${host}. Start one with \`holdpoint demo\`, or give another --url.`
      : message;
  return new HoldpointError(code, sentence, { cause: error, issues, details: { ...details, host } });
}
