import { HoldpointError, isRecord } from '../../core/index.ts';
import type { Call, Command } from '../command.ts';
import { paint } from '../terminal.ts';

interface Item {
  readonly threadId: string;
  readonly status: string;
  readonly agent: string;
  readonly raisedAt: string;
  readonly interrupt: {
    readonly id: string;
    readonly reason: string;
    readonly message?: string;
    readonly expiresAt?: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly responseSchema?: unknown;
  };
}

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
    switch (action) {
      case 'list':
        return list(call);
      case 'show':
        return show(call, await pick(call, which));
      case 'approve':
        return decide(call, which, { approved: true, reason: said });
      case 'reject':
        return decide(call, which, { approved: false, reason: said });
      case 'answer':
        return reply(call, await pick(call, which), { status: 'resolved', payload: valueOf(said) });
      case 'cancel':
        return reply(call, await pick(call, which), { status: 'cancelled' });
      case 'watch':
        return watch(call);
      default:
        throw new HoldpointError(
          'INPUT_INVALID',
          `There is no \`inbox ${action}\`. See \`holdpoint inbox --help\`.`,
        );
    }
  },
};

async function list(call: Call): Promise<number> {
  const items = await open(call);
  if (call.has('json')) call.terminal.out(`${JSON.stringify(items)}\n`);
  else if (items.length === 0) call.terminal.out('Nothing waits for an answer.\n');
  else items.forEach((item, index) => call.terminal.out(line(call, item, index + 1)));
  return 0;
}

function line({ terminal }: Call, { interrupt, agent, raisedAt }: Item, number: number): string {
  const { reason, message, expiresAt } = interrupt;
  const title = interrupt.metadata?.['title'];
  const text = typeof title === 'string' ? title : (message ?? interrupt.id);
  const until = expiresAt === undefined ? '' : paint(terminal, 'yellow', `  until ${expiresAt}`);
  const about = paint(terminal, 'dim', `${reason} · ${agent} · ${ago(raisedAt)}`);
  return `${paint(terminal, 'cyan', String(number).padStart(3))}  ${paint(terminal, 'bold', text)}  ${about}${until}\n`;
}

function show(call: Call, item: Item): number {
  const { terminal } = call;
  if (call.has('json')) {
    terminal.out(`${JSON.stringify(item)}\n`);
    return 0;
  }
  const { interrupt, threadId, agent } = item;
  terminal.out(`${paint(terminal, 'bold', interrupt.message ?? interrupt.id)}\n`);
  terminal.out(
    `  reason  ${interrupt.reason}\n  agent   ${agent}\n  thread  ${threadId}\n  id      ${interrupt.id}\n`,
  );
  for (const [name, value] of Object.entries(interrupt.metadata ?? {})) {
    terminal.out(`  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}\n`);
  }
  if (interrupt.responseSchema !== undefined) {
    terminal.out(`  an answer looks like: ${JSON.stringify(interrupt.responseSchema)}\n`);
  }
  return 0;
}

/** Yes or no, in the form that the question wants it. */
async function decide(
  call: Call,
  which: string | undefined,
  { approved, reason }: { readonly approved: boolean; readonly reason: string },
): Promise<number> {
  const item = await pick(call, which);
  const schema = item.interrupt.responseSchema;
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {};
  const status = properties['status'];
  const choices: unknown = isRecord(status) ? status['enum'] : undefined;
  const word = approved ? 'APPROVED' : 'REJECTED';
  const more = reason === '' ? {} : { reason };
  if (Object.hasOwn(properties, 'approved') || schema === undefined) {
    return reply(call, item, { status: 'resolved', payload: { approved, ...more } });
  }
  if (Array.isArray(choices) && choices.includes(word)) {
    return reply(call, item, { status: 'resolved', payload: { status: word, ...more } });
  }
  throw new HoldpointError(
    'INPUT_INVALID',
    `This question is no yes or no: give what it asks for with \`holdpoint inbox answer ${which ?? ''} …\`.`,
  );
}

async function reply(call: Call, { threadId, interrupt }: Item, body: object): Promise<number> {
  const path = `/threads/${encodeURIComponent(threadId)}/interrupts/${encodeURIComponent(interrupt.id)}/answer`;
  const result = await ask(call, path, { method: 'POST', body: JSON.stringify(body) });
  if (call.has('json')) call.terminal.out(`${JSON.stringify(result)}\n`);
  else {
    const state = isRecord(result) ? result['state'] : undefined;
    const open = isRecord(result) && Array.isArray(result['open']) ? result['open'].length : 0;
    call.terminal.out(
      state === 'continued'
        ? 'Answered; the agent goes on.\n'
        : `Answered; ${open} more to answer before the agent goes on.\n`,
    );
  }
  return 0;
}

async function watch(call: Call): Promise<number> {
  const response = await request(call, '/interrupts/events', {});
  const decoder = new TextDecoder();
  let text = '';
  let known = new Set<string>();
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const data = frame.split('\n').find((one) => one.startsWith('data: '));
        if (data === undefined) continue;
        const { interrupts } = JSON.parse(data.slice(6)) as { interrupts: Item[] };
        interrupts.forEach((item, index) => {
          if (!known.has(item.interrupt.id)) call.terminal.out(line(call, item, index + 1));
        });
        known = new Set(interrupts.map(({ interrupt }) => interrupt.id));
      }
    }
  } catch (error) {
    if (!call.signal.aborted) throw error;
  }
  return 0;
}

async function open(call: Call): Promise<readonly Item[]> {
  const page = await ask(call, '/interrupts?limit=200', {});
  return isRecord(page) && Array.isArray(page['interrupts']) ? (page['interrupts'] as Item[]) : [];
}

/** A question by its number in the list, or by its id. */
async function pick(call: Call, which: string | undefined): Promise<Item> {
  if (which === undefined)
    throw new HoldpointError('INPUT_INVALID', 'Say which: its number in `holdpoint inbox`, or its id.');
  const items = await open(call);
  const found = items.find(({ interrupt }) => interrupt.id === which) ?? items[Number(which) - 1];
  if (found === undefined)
    throw new HoldpointError(
      'INTERRUPT_UNKNOWN',
      `No open question is ${which}; \`holdpoint inbox\` lists them.`,
    );
  return found;
}

async function ask(call: Call, path: string, init: RequestInit): Promise<unknown> {
  return (await request(call, path, init)).json();
}

async function request(call: Call, path: string, init: RequestInit): Promise<Response> {
  const base = (call.flag('url') ?? process.env['HOLDPOINT_URL'] ?? 'http://127.0.0.1:4680').replace(
    /\/$/,
    '',
  );
  const token = call.flag('token') ?? process.env['HOLDPOINT_TOKEN'];
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  let response: Response;
  try {
    response = await fetch(`${base}${path}`, { ...init, headers, signal: call.signal });
  } catch (cause) {
    throw new HoldpointError(
      'STORE_FAILED',
      `Nobody answers at ${base}: is the host running? Start one with \`holdpoint demo\`.`,
      { cause },
    );
  }
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => undefined);
  const error: unknown = isRecord(body) ? body['error'] : undefined;
  const message =
    isRecord(error) && typeof error['message'] === 'string' ? error['message'] : `HTTP ${response.status}`;
  throw new HoldpointError('INPUT_INVALID', message);
}

/** JSON where it is, text otherwise. */
function valueOf(said: string): unknown {
  try {
    return JSON.parse(said) as unknown;
  } catch {
    return said;
  }
}

function ago(time: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}
