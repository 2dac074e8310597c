import { describe, expect, it } from 'vitest';
import { HoldpointError } from '../../core/index.ts';
import { defineInterrupt } from '../../engine/index.ts';
import { defineAgent } from '../../runs/index.ts';
import { createRegistry } from './create-registry.ts';
import type { RegistryData } from './read-registry.ts';
import { contentRegistry } from './testing-support/content-agents.ts';

/** The problems of a change, as `pointer: message`. */
function problemsOf(change: unknown): string[] {
  const registry = createRegistry(contentRegistry().options);
  const before = registry.list();
  try {
    registry.set(change as Partial<RegistryData>);
  } catch (error) {
    if (!HoldpointError.is(error, 'INPUT_INVALID')) throw error;
    expect(registry.list()).toEqual(before);
    return error.issues.map(({ pointer, message }) => `${pointer}: ${message}`);
  }
  return [];
}

const agent = { id: 'a', profile: 'careful' };

describe('an invalid registry', () => {
  it('an invalid registry is rejected as a whole, with every problem', () => {
    expect(
      problemsOf({
        profiles: { 'a/b': { model: 'gpt' }, hot: { model: 'scripted', temperature: 'high' } },
        tools: ['searchContent', 'deleteSite', 7],
        agents: [
          { id: 'ok', profile: 'hot', tools: ['searchContent'] },
          { id: 'bad', profile: 'careful', tools: ['searchContent', 'publishContent', 'searchContent'] },
        ],
      }),
    ).toEqual([
      '/profiles/a~1b/model: there is no model "gpt"',
      '/profiles/hot/temperature: expected a number, 0 or more, got a string',
      '/tools/1: there is no tool "deleteSite"',
      '/tools/2: expected a tool or its name, got 7',
      '/agents/1/profile: there is no profile "careful"',
      '/agents/1/tools/1: there is no tool "publishContent"',
    ]);
  });

  it('an invalid registry is rejected by createRegistry too', () => {
    const { options } = contentRegistry();
    expect(() => createRegistry({ ...options, agents: [{ id: 'x', profile: 'nobody' }] })).toThrow(
      'Invalid registry at /agents/0/profile: there is no profile "nobody".',
    );
  });

  it.each([
    [null, ': expected an object, got null'],
    [{ agent: [] }, '/agent: is not a known member (did you mean agents?)'],
    [{ profiles: [] }, '/profiles: expected an object of profiles by name, got an array'],
    [{ tools: {} }, '/tools: expected a list of tools, got an object'],
    [{ agents: null }, '/agents: expected a list, got null'],
    [{ agents: [agent, null] }, '/agents/1: expected an object, got null'],
  ])('%j: %s', (change, problem) => {
    expect(problemsOf(change)).toContain(problem);
  });

  it('rejects a misspelt member', () => {
    expect(problemsOf({ agents: [{ ...agent, aproval: 'require' }] })).toEqual([
      '/agents/0/aproval: is not a known member (did you mean approval?)',
    ]);
    expect(problemsOf({ tools: ['searchContent', { tool: 'publishContent', aproval: true }] })).toEqual([
      '/tools/1/aproval: is not a known member (did you mean approval?)',
    ]);
  });

  it('rejects names that two agents share, ignoring case', () => {
    const script = defineAgent({ id: 'B', run: async () => 'done' });
    expect(
      problemsOf({
        agents: [
          agent,
          { ...agent, id: 'b', alias: 'A' },
          { agent: script },
          { ...agent, id: 'c', alias: 'C' },
        ],
      }),
    ).toEqual([
      '/agents/1/alias: "A" is taken by /agents/0',
      '/agents/2/agent/id: "B" is taken by /agents/1',
    ]);
  });

  it.each(['', ' ', '..', 'a/b', 'ä', 'a?b', 'x'.repeat(129)])('rejects an agent named %j', (id) => {
    expect(problemsOf({ agents: [{ ...agent, id }] })).toEqual([
      '/agents/0/id: expected a name of 1 to 128 letters, digits, and . _ : @ -, got a string',
    ]);
  });

  it('rejects two tools of one name, and a tool twice in an agent', () => {
    expect(problemsOf({ tools: ['searchContent', 'publishContent', 'searchContent'] })).toEqual([
      '/tools/2: a tool "searchContent" is there already',
    ]);
    expect(problemsOf({ agents: [{ ...agent, tools: ['searchContent', 'searchContent'] }] })).toEqual([
      '/agents/0/tools/1: is there twice',
    ]);
  });

  it('rejects names of prototype members', () => {
    expect(problemsOf({ agents: [{ id: 'a', profile: 'constructor', tools: ['toString'] }] })).toHaveLength(
      2,
    );
    expect(problemsOf({ profiles: { careful: { model: 'toString' } } })).toHaveLength(1);
  });

  it('rejects unknown scopes, middleware and context providers', () => {
    expect(
      problemsOf({
        profiles: { careful: { model: 'scripted', middleware: { model: ['cache'], tool: [3] } } },
        agents: [{ ...agent, toolScopes: ['content:raed'], contextProviders: ['wiki'] }],
      }),
    ).toEqual([
      '/profiles/careful/middleware/model/0: there is no model middleware "cache"',
      '/profiles/careful/middleware/tool/0: expected a tool middleware or its name, got 3',
      '/agents/0/toolScopes/0: there is no tool with the scope "content:raed"',
      '/agents/0/contextProviders/0: there is no context provider "wiki"',
    ]);
  });
});

describe('a change of one part', () => {
  it('a change of one part is checked against the parts that stay', () => {
    expect(problemsOf({ profiles: {} })).toEqual(['/agents/0/profile: there is no profile "careful"']);
    expect(problemsOf({ tools: ['searchContent'] })).toEqual([
      '/agents/0/tools/1: there is no tool "publishContent"',
    ]);
    expect(problemsOf({})).toEqual([]);
  });

  it('a change of one part is not affected by later changes of the caller’s objects', () => {
    const { options } = contentRegistry();
    const tools = ['searchContent'];
    const agents: RegistryData['agents'][number][] = [{ ...agent, tools }];
    const registry = createRegistry({ ...options, agents });
    tools.push('deleteSite');
    agents.push({ id: 'b', profile: 'nobody' });
    expect(() => registry.set({ agents })).toThrow('Invalid registry');
    registry.setAgent({ id: 'c', profile: 'careful' });
    expect(registry.list().map(({ id, tools }) => [id, tools.length])).toEqual([
      ['a', 1],
      ['c', 0],
    ]);
  });
});

describe('rules for a tool', () => {
  it.each([
    [
      { approval: false },
      '/tools/0/approval: expected true, since data cannot make a tool less strict, got a boolean',
    ],
    [
      { destructive: false },
      '/tools/0/destructive: expected true, since data cannot make a tool less strict, got a boolean',
    ],
    [
      { approval: { when: 'never' } },
      '/tools/0/approval/when: is not a known member; known are message, description, confirmation, requireReason, expiresInMs',
    ],
    [
      { approval: { confirmation: '' } },
      '/tools/0/approval/confirmation: expected text that is not empty, got a string',
    ],
    [
      { approval: { expiresInMs: 0 } },
      '/tools/0/approval/expiresInMs: expected a whole number above 0, got 0',
    ],
  ])('cannot set %j', (rules, problem) => {
    expect(problemsOf({ tools: [{ tool: 'publishContent', ...rules }, 'searchContent'] })).toEqual([problem]);
  });

  it('require no approval of an interrupt tool, which a person answers anyway', () => {
    const tool = defineInterrupt({ name: 'ask', description: 'Asks.', input: { type: 'object' } });
    expect(problemsOf({ tools: ['searchContent', 'publishContent', { tool, approval: true }] })).toEqual([
      '/tools/2/approval: does nothing for a tool of the kind interrupt',
    ]);
  });
});
