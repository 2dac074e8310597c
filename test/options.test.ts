import type { Policy } from 'holdpoint';
import { defineAgent, defineInterrupt, defineTool, generate } from 'holdpoint';
import { toA2a } from 'holdpoint/a2a';
import { createHost } from 'holdpoint/host';
import { memoryStore } from 'holdpoint/store/memory';
import { postgresStore } from 'holdpoint/store/postgres';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';

/** Options as JavaScript passes them: without types. */
type Untyped = never;

const input = { type: 'object' } as const;
const model = () => scriptedModel(['Done.']);
const tool = (options: object) => () =>
  defineTool({ name: 'pay', description: 'Pays.', input, run: () => 'paid', ...options });
const question = (options: object) => () =>
  defineInterrupt({ name: 'ask', description: 'Asks.', input, ...options });
const agent = (options: object) => () => defineAgent({ id: 'clerk', model: model(), ...options });
const host = (options: object) => () =>
  createHost({
    agents: [defineAgent({ id: 'clerk', model: model() })],
    store: memoryStore(),
    ...options,
  });
const a2a = (options: object) => () =>
  toA2a(defineAgent({ id: 'clerk', model: model() }), { store: memoryStore(), ...options });

describe('options that do not fit are rejected where they are written', () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      'approval: a text',
      tool({ approval: 'yes' }),
      /tool pay at \/approval: expected true, false, a function/,
    ],
    [
      'approval.approver',
      tool({ approval: { approver: {} } }),
      /\/approval\/approver.*did you mean approvers\?/,
    ],
    ['approvers.role', tool({ approval: { approvers: { role: 'dba' } } }), /approvers\/role.*mean roles\?/],
    ['approvers: {}', tool({ approval: { approvers: {} } }), /approvers: names nobody/],
    ['approvers without names', question({ approvers: { roles: [] } }), /approvers: names nobody/],
    ['approvers with notAsker: false', question({ approvers: { notAsker: false } }), /names nobody/],
    [
      'roles: a text',
      tool({ approval: { approvers: { roles: 'dba' } } }),
      /roles: expected a list, got a string/,
    ],
    [
      'expiresInMs: a text',
      tool({ approval: { expiresInMs: '1h' } }),
      /expiresInMs: expected a whole number/,
    ],
    ['expiresInMs: NaN', question({ expiresInMs: Number.NaN }), /expected a whole number above 0, got NaN/],
    ['expiresInMs: -5', tool({ approval: { expiresInMs: -5 } }), /expected a whole number above 0, got -5/],
    ['onExpire of another name', question({ onExpire: 'approve' }), /onExpire: expected "keep"/],
    ['a tool without run', tool({ run: undefined }), /tool pay at \/run: expected a function, got nothing/],
    ['a tool without a schema', tool({ input: undefined }), /\/input: expected a schema, got nothing/],
    ['no options at all', () => defineTool(undefined as Untyped), /options of a tool at the root/],
    [
      'an agent without a model',
      agent({ model: undefined }),
      /agent clerk at \/model: expected a model with/,
    ],
    ['a model as a name', agent({ model: 'gpt-5' }), /\/model: expected a model with.*fromAiSdk/],
    [
      'a tool that is no tool',
      agent({ tools: [{ name: 'pay' }] }),
      /\/tools\/0: expected a tool that defineTool/,
    ],
    ['approval of another name', agent({ approval: 'required' }), /\/approval: expected "require"/],
    [
      'system in place of instructions',
      agent({ system: 'Be kind.' }),
      /\/system: is not a known member; known/,
    ],
    ['createHost without a store', host({ store: undefined }), /\/store: expected a store/],
    ['createHost without agents', host({ agents: undefined }), /\/agents: expected a list of agents/],
    ['authentication', host({ authentication: () => null }), /\/authentication.*did you mean authenticate\?/],
    ['secretKey that is none', host({ secretKey: 'abc' }), /\/secretKey: expected 32 random bytes in base64/],
    ['a policy that is none', host({ policies: ['deny'] }), /\/policies\/0: expected a function/],
    ['a mode of another name', host({ mode: 'deny' }), /\/mode: expected "interactive"/],
    ['visibility of another name', host({ visibility: 'all' }), /\/visibility: expected "owner"/],
    ['interrupts.ttl', host({ interrupts: { ttl: 5 } }), /\/interrupts\/ttl.*did you mean ttlMs\?/],
    ['limits.bodyByte', host({ limits: { bodyByte: 5 } }), /\/limits\/bodyByte.*mean bodyBytes\?/],
    ['toA2a without a store', a2a({ store: undefined }), /options of toA2a at \/store/],
    ['toA2a with authentication', a2a({ authentication: () => null }), /did you mean authenticate\?/],
    ['an empty address', () => postgresStore(''), /postgresStore needs the address.*DATABASE_URL/],
    ['no address', () => postgresStore(undefined as Untyped), /Is DATABASE_URL set\?/],
    ['an empty path', () => sqliteStore(''), /sqliteStore needs the path of a file/],
    ['an address as a path', () => sqliteStore('postgres://localhost/app'), /use postgresStore/],
  ])('%s', (_name, create, sentence) => {
    expect(create).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringMatching(sentence) }),
    );
  });

  it('shows no character of a secretKey that does not fit', () => {
    expect(host({ secretKey: 'c2VjcmV0LXBhcnQ=' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('c2Vj') }),
    );
  });

  it('lists all problems as issues with JSON pointers', () => {
    expect(tool({ approval: { approver: {}, expiresInMs: 0 }, destructiv: true })).toThrow(
      expect.objectContaining({
        issues: [
          expect.objectContaining({ pointer: '/destructiv' }),
          expect.objectContaining({ pointer: '/approval/approver' }),
          expect.objectContaining({ pointer: '/approval/expiresInMs' }),
        ],
      }),
    );
  });
});

describe('values that do not fit while an agent runs', () => {
  it.each([
    ['system', { system: 'Be kind.' }],
    ['thread for threadId', { thread: 't1' }],
    ['a secretKey', { secretKey: 'abc' }],
    ['a store that is none', { store: {} }],
    ['mode', { mode: 'deny' }],
  ])('generate rejects %s', async (_name, options) => {
    const clerk = defineAgent({ id: 'clerk', model: model() });
    for (const called of [
      clerk.generate({ prompt: 'x', ...options } as Untyped),
      generate({ model: model(), prompt: 'x', ...options } as Untyped),
    ])
      await expect(called).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it.each<[string, unknown]>([
    ['another word', 'block'],
    ['true', true],
    ['null', null],
    ['an unknown member', { decision: 'ask', approver: { roles: ['cfo'] } }],
    ['approvers who are nobody', { decision: 'ask', approvers: {} }],
    ['roles that are a text', { decision: 'ask', approvers: { roles: 'cfo' } }],
  ])('a policy that returns %s does not let a call run', async (_name, decision) => {
    const paid: unknown[] = [];
    const pay = defineTool({ name: 'pay', description: 'Pays.', input, run: () => paid.push(1) });
    const clerk = defineAgent({
      id: 'clerk',
      model: scriptedModel([{ calls: [{ name: 'pay' }] }, 'Done.']),
      tools: [pay],
    });
    const warnings: string[] = [];
    const policies = [() => decision] as unknown as readonly Policy[];
    const onWarning = (warning: string) => warnings.push(warning);
    const { interrupts } = await clerk.generate({ prompt: 'x', policies, onWarning });
    expect(interrupts).toEqual([]);
    expect(paid).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('Invalid decision of a policy')]);
  });

  it.each<[string, object]>([
    ['approvers: {}', { approvers: {} }],
    ['approvers.role', { approvers: { role: 'cfo' } }],
    ['expiresIn', { expiresIn: 5 }],
    ['expiresInMs: "1h"', { expiresInMs: '1h' }],
    ['expiresAt that is no time', { expiresAt: 'tomorrow' }],
  ])(
    'an ask and an interrupt of a body with %s raise nothing, and the call fails',
    async (_name, options) => {
      for (const run of [
        (_input: unknown, ctx: { ask: (...given: unknown[]) => unknown }) => ctx.ask('name', options),
        (_input: unknown, ctx: { interrupt: (given: unknown) => never }) => ctx.interrupt(options),
      ]) {
        const clerk = defineAgent({
          id: 'clerk',
          model: scriptedModel([{ calls: [{ name: 'pay' }] }, 'Done.']),
          tools: [defineTool({ name: 'pay', description: 'Pays.', input, run } as Untyped)],
        });
        const { interrupts, messages } = await clerk.generate({ prompt: 'x' });
        expect(interrupts).toEqual([]);
        expect(messages.find(({ role }) => role === 'tool')?.content).toContain('Invalid options of');
      }
    },
  );

  it.each<[string, unknown]>([
    ['nobody', {}],
    ['an unknown member', { role: 'cfo' }],
  ])('interrupts.approvers that returns %s fails the run of a foreign agent', async (_name, approvers) => {
    const interrupt = { id: 'i1', reason: 'confirmation', message: 'Go on?' };
    const served = createHost({
      agents: {
        remote: async function* ({ threadId, runId }) {
          yield { type: 'RUN_STARTED', threadId, runId };
          yield {
            type: 'RUN_FINISHED',
            threadId,
            runId,
            outcome: { type: 'interrupt', interrupts: [interrupt] },
          };
        },
      },
      store: memoryStore(),
      logger: false,
      interrupts: { approvers: () => approvers as Untyped },
    });
    const response = await served.fetch(
      new Request('http://127.0.0.1/agents/remote', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          threadId: 't1',
          runId: 'r1',
          messages: [{ id: 'm', role: 'user', content: 'x' }],
        }),
      }),
    );
    expect(await response.text()).toContain('RUN_ERROR');
    const list = await served.fetch(new Request('http://127.0.0.1/interrupts'));
    expect(await list.json()).toMatchObject({ interrupts: [] });
    await served.close();
  });
});
