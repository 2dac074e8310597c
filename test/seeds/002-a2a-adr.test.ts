/** ADR 0012, "Input Interrupts via A2A `input_required` + AG-UI Activity/State", with an agent of the A2A SDK over HTTP. */
import { createClient, answer } from 'holdpoint/client';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { describe, expect, it } from 'vitest';
import { dataPart, textPart } from '../../src/a2a/parts.ts';
import { signUp } from '../../src/a2a/testing-support/executors.ts';
import { useBridge } from '../../src/a2a/testing-support/use-bridge.ts';
import { walkSeed } from './walk.ts';

const { serve: serveA2a, bridge } = useBridge();

/** The request of an agent that names its fields as HTML does. */
const FIELDS = [
  { name: 'from', type: 'text', label: 'From', required: true },
  { name: 'mail', type: 'email' },
  { name: 'when', type: 'date' },
  { name: 'note', type: 'textarea' },
  { name: 'insured', type: 'checkbox' },
  {
    name: 'speed',
    type: 'select',
    options: [
      { value: 'std', label: 'Standard' },
      { value: 'exp', label: 'Express' },
    ],
  },
  { name: 'pin', type: 'password', label: 'PIN' },
];
const REQUEST = [
  textPart('Where does it go?'),
  dataPart({ type: 'a2a.input.request', requestId: 'trip', title: 'A trip', fields: FIELDS }),
];
const VALUES = {
  from: 'Rome',
  mail: 'ana@example.com',
  when: '2026-12-01',
  note: 'By night.',
  insured: true,
  speed: 'exp',
  pin: 'SECRET1',
};

/** A host in front of the agent; the agent keeps in `taken` what it gets. */
async function ask() {
  const taken: unknown[] = [];
  const store = memoryStore();
  const secretKey = btoa('0123456789abcdef0123456789abcdef');
  const agents = { helper: bridge(await serveA2a(signUp(taken, REQUEST)), { store }) };
  const { url, close } = await serve(createHost({ logger: false, sweepMs: 0, store, secretKey, agents }), {
    port: 0,
  });
  const client = createClient({ url: `${url}/agents/helper` });
  const { interrupts } = await client.run({ threadId: 't', messages: 'A trip, please.' }).finished;
  const [interrupt] = interrupts;
  if (interrupt === undefined) throw new Error('no interrupt');
  return { client, interrupt, taken, url, close };
}

describe('a request with fields of HTML types', () => {
  it('has a schema with the labels, formats and options of its fields', async () => {
    const { interrupt, close } = await ask();
    expect(interrupt.responseSchema?.['properties']).toMatchObject({
      from: { type: 'string', title: 'From' },
      mail: { type: 'string', format: 'email' },
      when: { type: 'string', format: 'date' },
      note: { type: 'string', format: 'textarea' },
      insured: { type: 'boolean' },
      speed: { enum: ['std', 'exp'], enumNames: ['Standard', 'Express'] },
      pin: { type: 'string', format: 'password', writeOnly: true, title: 'PIN' },
    });
    await close();
  });

  it('hides a password in the events, the activities, the conversation and the history, and the agent gets it', async () => {
    const { client, interrupt, taken, url, close } = await ask();
    const sent: string[] = [];
    const run = client.resume({ threadId: 't' }, [answer(interrupt, VALUES)]);
    for await (const { rawRepresentation } of run) sent.push(JSON.stringify(rawRepresentation));
    const { messages } = await client.connect('t').finished;
    const history = await client.inbox.history('t', interrupt.id);
    const events = await fetch(`${url}/threads/t`).then((response) => response.text());
    for (const text of [...sent, JSON.stringify(messages), JSON.stringify(history), events])
      expect(text).not.toContain('SECRET1');
    expect(JSON.stringify(messages)).toContain('••••••');
    expect(taken).toMatchObject([{ type: 'a2a.input.response', values: VALUES }]);
    await close();
  });
});

walkSeed('002', 'A2A ADR: input interrupts via `input_required`', ({ line, held }) => {
  const BRIDGE = 'src/a2a/agent/a2a-agent.test.ts';
  held(
    '1',
    'On a pause: `input_required`, a TextPart and a DataPart `a2a.input.request`',
    'src/a2a/server/to-a2a.test.ts',
    'publishes an approval as input-required and runs the call after the approval',
    '`toA2a`',
  );
  held(
    '2',
    'The answer: DataPart `a2a.input.response`, validated before `working`',
    'src/a2a/server/to-a2a.test.ts',
    'keeps the task input-required with a reason after an invalid answer',
  );
  held(
    '3',
    '`{threadId, runId}` → `taskId`, also after a restart',
    'src/a2a/agent/restart.test.ts',
    'answers the interrupt of the first one under the same id',
  );
  held(
    '4',
    'The final message, then `RUN_FINISHED` with the interrupt',
    BRIDGE,
    'emits the words of the agent, the activity, the state and the interrupt, in this order',
    '`MESSAGE_CREATED` is `TEXT_MESSAGE_*` in AG-UI 1.0',
  );
  held(
    '5',
    'Payload `{taskId, contextId, interruptId, request}`',
    'src/a2a/agent/behind-host.test.ts',
    'writes taskId, contextId, interruptId and request in the payload of the draft dialect',
    'and `prompt`, `responseSchema`',
  );
  held(
    '6',
    '`interruptId = "input-<taskId>-<n>"`, monotonic',
    'src/a2a/agent/restart.test.ts',
    'continues the numbers of interrupt ids',
  );
  held(
    '7',
    'Resume in a new run, to the original task',
    BRIDGE,
    'then sends the answer once and shows each text once',
  );
  held('8', 'The remainder streams in the resumed run', BRIDGE, 'and the rest of a text in the next run');
  line(
    '9',
    '`ACTIVITY_SNAPSHOT`: `INPUT_REQUEST`, `messageId`, `stage`, `taskId`, the request and the text',
    async () => {
      const { client, interrupt, close } = await ask();
      const { messages } = await client.connect('t').finished;
      expect(messages.find(({ id }) => id === interrupt.id)).toMatchObject({
        role: 'activity',
        activityType: 'INPUT_REQUEST',
        content: { stage: 'awaiting_input', text: 'Where does it go?', request: { requestId: 'trip' } },
      });
      await close();
    },
  );
  held(
    '10',
    '`ACTIVITY_DELTA`: `stage`, `decision`',
    BRIDGE,
    'adds decision and values without secrets to the activity when the agent goes on',
    'a cancelled one is `rejected`',
  );
  held(
    '11',
    'Summarized input values',
    'test/seeds/002-a2a-adr.test.ts',
    'hides a password in the events, the activities, the conversation and the history',
    'secrets are masked, also of the field type `password`',
  );
  line('12', 'State: `/view/tasks/<taskId>`', async () => {
    const { client, close } = await ask();
    const { state } = await client.connect('t').finished;
    expect(Object.values((state as { view: { tasks: object } }).view.tasks)).toHaveLength(1);
    await close();
  });
  line(
    '13',
    'State: `/view/pendingInterrupts`',
    async () => {
      const { client, interrupt, close } = await ask();
      const { state } = await client.connect('t').finished;
      expect(state).toMatchObject({
        view: { pendingInterrupts: { [interrupt.id]: { interruptId: interrupt.id, requestId: 'trip' } } },
      });
      await close();
    },
    'a map',
  );
  held(
    '14',
    'One `STATE_SNAPSHOT` on init, then `STATE_DELTA`',
    'src/a2a/agent/delivery.test.ts',
    'a host shows one STATE_SNAPSHOT for a pause',
    'AG-UI 1.0 asks for one more before each interrupt, and each run begins with one',
  );
  line('15', 'Removed on resume and cancel', async () => {
    const { client, interrupt, close } = await ask();
    await client.resume({ threadId: 't' }, [answer(interrupt, VALUES)]).finished;
    const { state } = await client.connect('t').finished;
    expect(state).toMatchObject({ view: { pendingInterrupts: {} } });
    await close();
  });
  held(
    '16',
    'No AG-UI id in an A2A payload',
    'src/a2a/testing-support/use-bridge.ts',
    'const leaked',
    'every test of the bridge searches all requests',
  );
  held(
    '17',
    'The audit stays in the A2A messages',
    'src/a2a/server/to-a2a.test.ts',
    'returns the stored task',
  );
  held(
    '18',
    'The UI shows the chat bubble and a timeline: answered, approved, rejected',
    'src/elements/conversation/show-activity.ts',
    'INPUT_REQUEST',
  );
  held(
    '19',
    'A person fills in `fields`',
    'test/seeds/002-a2a-adr.test.ts',
    'has a schema with the labels, formats and options of its fields',
    'text, textarea, email, date, password, checkbox, select, and JSON Schema types',
  );
  held(
    '20',
    'An unknown or invalid answer',
    BRIDGE,
    'sends nothing for an invalid answer, an answer from another thread, or a second answer',
  );
  held(
    '21',
    'An answer that was not delivered',
    'src/a2a/agent/delivery.test.ts',
    'leaves the interrupt open with the reason while the agent is down',
  );
  held(
    '22',
    'A crash',
    'src/a2a/agent/take-up.test.ts',
    'leaves the task to the next host, which shows its request; no text comes twice',
  );
  held(
    '23',
    'Stop',
    'src/a2a/agent/take-up.test.ts',
    'sends CancelTask and shows the last message of the agent',
  );
  held('24', 'Cancel', BRIDGE, 'cancels the task and marks the activity as rejected for a cancelled answer');
  held(
    '25',
    'The official client gets state and activities',
    'src/a2a/agent/behind-host.test.ts',
    'sends only patches that the client can apply',
  );
});
