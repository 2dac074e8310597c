import type { InboxAnswer, InboxItem, ResumeEntry } from '../client/index.ts';
import { createClient, HoldpointError } from '../client/index.ts';
import type { UnknownRecord } from '../core/index.ts';
import type { Problem } from './check-setting.ts';
import { checkToken, checkUrl } from './check-setting.ts';
import type { Call } from './command.ts';

/** A question as the routes of a host give it. */
export interface Item extends InboxItem {
  readonly agent: string;
  readonly raisedAt: string;
}

/** The inbox of the host that a command talks to. What the host refuses is thrown with its code and its sentence. */
export interface HostInbox {
  /** Everything that waits, however many pages it is. */
  list(): Promise<readonly Item[]>;
  answer(item: Item, answer: Omit<ResumeEntry, 'interruptId'>): Promise<InboxAnswer>;
  /** The first page, and again whenever it changes; a stream that ends is taken up again, until the person stops it. */
  changes(): AsyncGenerator<UnknownRecord, void, undefined>;
}

const DEFAULT_URL = 'http://127.0.0.1:4680';
const PAGE = 200;
/** Milliseconds; a host says something every 15 seconds. */
const STALL_MS = 45_000;

/** The host at `--url`, or `HOLDPOINT_URL`. Throws `INPUT_INVALID` where that is no address, or the token none. */
export function hostInbox(call: Call): HostInbox {
  const base = (call.flag('url') ?? process.env['HOLDPOINT_URL'] ?? DEFAULT_URL).replace(/\/$/, '');
  const token = call.flag('token') ?? process.env['HOLDPOINT_TOKEN'];
  refuse('The address', checkUrl(base));
  if (token !== undefined) refuse('The token', checkToken(token));
  const { inbox } = createClient({
    url: base,
    base,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    stallTimeout: STALL_MS,
  });
  const fail = (error: unknown): never => {
    throw fromHost(error, base);
  };
  return {
    async list() {
      const items: Item[] = [];
      let cursor: string | undefined;
      do {
        const more = cursor === undefined ? {} : { cursor };
        const page = await inbox.list({ limit: PAGE, ...more }, call.signal).catch(fail);
        // A host of ours answers in the shapes of its routes.
        items.push(...(page.interrupts as readonly Item[]));
        cursor = page.next;
      } while (cursor !== undefined);
      return items;
    },
    answer: ({ threadId, interrupt }, answer) =>
      inbox.answer(threadId, { interruptId: interrupt.id, ...answer }).catch(fail),
    async *changes() {
      try {
        yield* inbox.watch(call.signal);
      } catch (error) {
        fail(error);
      }
    },
  };
}

function refuse(what: string, problem: Problem | undefined): void {
  if (problem === undefined) return;
  throw new HoldpointError('INPUT_INVALID', `${what} will not do, ${problem.says}. ${problem.next}`);
}

/** What a host says keeps its code; `details.host` tells it from what was wrong with the words of a command. */
function fromHost(error: unknown, host: string): unknown {
  if (!HoldpointError.is(error)) return error;
  const { code, message, issues, details } = error;
  const sentence =
    code === 'RUN_LOST'
      ? `Nobody answers at ${host}: is the host running? Start one with \`holdpoint demo\`.`
      : message;
  return new HoldpointError(code, sentence, { cause: error, issues, details: { ...details, host } });
}
