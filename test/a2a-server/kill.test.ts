import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWire, OPERATIONS as op } from '../../src/a2a/testing-support/a2a-wire.ts';
import type { Program } from '../processes/processes.ts';
import { bundleProgram, call } from '../processes/processes.ts';

type Json = Record<string, unknown>;

let program: Program;
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, 'child.ts'));
}, 60_000);
afterAll(() => program.dispose());

let files = 0;

/** Processes on one SQLite file, and the payments that they have made. */
function setUp() {
  files += 1;
  const ledger = join(program.folder, `payments-${files}.txt`);
  const setting = { file: join(program.folder, `front-${files}.db`), ledger };
  const start = async () => {
    const child = program.start(setting);
    const { url } = await call<{ url: string }>(child, 'ready');
    return { child, wire: createWire('HTTP+JSON', url) };
  };
  const payments = () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n').length : 0);
  return { start, payments };
}

const messageOf = (part: object, more: Json = {}): Json => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER',
  parts: [part],
  ...more,
});
const stateOf = (task: Json): unknown => (task['status'] as Json | undefined)?.['state'];
const APPROVES = { data: { approved: true } };

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** A task whose call runs in the first process. */
async function atWork() {
  const { start, payments } = setUp();
  const first = await start();
  const { result } = await first.wire.call(op.send(messageOf({ text: 'pay' })));
  const { id } = result['task'] as { id: string };
  const answered = first.wire.call(op.send(messageOf(APPROVES, { taskId: id }))).catch(() => undefined);
  await expect.poll(payments).toBe(1);
  return { first, second: await start(), id, answered, payments };
}

describe('an A2A server that is killed while a call runs', () => {
  it('an A2A server that is killed while a call runs leaves the task to a subscriber at the next one, who is asked about the call', async () => {
    const { first, second, id, answered, payments } = await atWork();
    const stream = await second.wire.open(op.subscribe(id));
    expect(await stream.next()).toMatchObject({ task: { id, status: { state: 'TASK_STATE_WORKING' } } });
    await kill(first.child);
    await answered;
    const [event] = (await stream.rest()).slice(-1);
    expect(event).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
    const finished = { data: { action: 'finished', result: 'paid' } };
    const { result } = await second.wire.call(op.send(messageOf(finished, { taskId: id })));
    expect([stateOf(result['task'] as Json), payments()]).toEqual(['TASK_STATE_COMPLETED', 1]);
  });
});

describe('two A2A servers on one SQLite file', () => {
  it('two A2A servers on one SQLite file cancel the runs of each other', async () => {
    const { second, id, answered, payments } = await atWork();
    const { result } = await second.wire.call(op.cancel(id));
    expect([stateOf(result), payments()]).toEqual(['TASK_STATE_CANCELED', 1]);
    expect(stateOf((await answered)?.result['task'] as Json)).toBe('TASK_STATE_CANCELED');
  });
});
