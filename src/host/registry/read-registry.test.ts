import { describe, expect, it } from 'vitest';
import { HoldpointError } from '../../core/index.ts';
import { defineInterrupt } from '../../engine/index.ts';
import { defineAgent } from '../../runs/index.ts';
import { createRegistry } from './create-registry.ts';
import type { RegistryData } from './read-registry.ts';
import { contentRegistry } from './testing-support/content-agents.ts';

/** What is said to be wrong with a change, as `pointer: message`. */
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

describe('a registry that is wrong', () => {
  it('is refused as a whole, with every place that is wrong', () => {
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
      '/tools/2: expected a tool or its name, got a number',
      '/agents/1/profile: there is no profile "careful"',
      '/agents/1/tools/1: there is no tool "publishContent"',
    ]);
  });

  it('is refused when it is made, too', () => {
    const { options } = contentRegistry();
    expect(() => createRegistry({ ...options, agents: [{ id: 'x', profile: 'nobody' }] })).toThrow(
      'Invalid registry at /agents/0/profile: there is no profile "nobody".',
    );
  });

  it.each([
    [null, ': expected an object, got null'],
    [{ agent: [] }, '/agent: is not a known member'],
    [{ profiles: [] }, '/profiles: expected an object of profiles by name, got an array'],
    [{ tools: {} }, '/tools: expected a list of tools, got an object'],
    [{ agents: null }, '/agents: expected a list, got null'],
    [{ agents: [agent, null] }, '/agents/1: expected an object, got null'],
  ])('%j: %s', (change, problem) => {
    expect(problemsOf(change)).toContain(problem);
  });

  it('does not pass over a misspelt member, which may have been a safeguard', () => {
    expect(problemsOf({ agents: [{ ...agent, aproval: 'require' }] })).toEqual([
      '/agents/0/aproval: is not a known member',
    ]);
    expect(problemsOf({ tools: ['searchContent', { tool: 'publishContent', aproval: true }] })).toEqual([
      '/tools/1/aproval: is not a known member',
    ]);
  });

  it('has no names that mean two agents, in any case', () => {
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

  it.each(['', ' ', '..', 'a/b', 'ä', 'a?b', 'x'.repeat(129)])('has no agent called %j', (id) => {
    expect(problemsOf({ agents: [{ ...agent, id }] })).toEqual([
      '/agents/0/id: expected a name of 1 to 128 letters, digits, and . _ : @ -, got a string',
    ]);
  });

  it('has no two tools of one name, and no tool twice in an agent', () => {
    expect(problemsOf({ tools: ['searchContent', 'publishContent', 'searchContent'] })).toEqual([
      '/tools/2: a tool "searchContent" is there already',
    ]);
    expect(problemsOf({ agents: [{ ...agent, tools: ['searchContent', 'searchContent'] }] })).toEqual([
      '/agents/0/tools/1: is there twice',
    ]);
  });

  it('has no names that only a prototype knows', () => {
    expect(problemsOf({ agents: [{ id: 'a', profile: 'constructor', tools: ['toString'] }] })).toHaveLength(
      2,
    );
    expect(problemsOf({ profiles: { careful: { model: 'toString' } } })).toHaveLength(1);
  });

  it('names scopes, middleware and context providers that do not exist', () => {
    expect(
      problemsOf({
        profiles: { careful: { model: 'scripted', middleware: { model: ['cache'], tool: [3] } } },
        agents: [{ ...agent, toolScopes: ['content:raed'], contextProviders: ['wiki'] }],
      }),
    ).toEqual([
      '/profiles/careful/middleware/model/0: there is no model middleware "cache"',
      '/profiles/careful/middleware/tool/0: expected a tool middleware or its name, got a number',
      '/agents/0/toolScopes/0: there is no tool with the scope "content:raed"',
      '/agents/0/contextProviders/0: there is no context provider "wiki"',
    ]);
  });
});

describe('a change of one part', () => {
  it('is checked against the parts that stay', () => {
    expect(problemsOf({ profiles: {} })).toEqual(['/agents/0/profile: there is no profile "careful"']);
    expect(problemsOf({ tools: ['searchContent'] })).toEqual([
      '/agents/0/tools/1: there is no tool "publishContent"',
    ]);
    expect(problemsOf({})).toEqual([]);
  });

  it('is not undone or spoilt by what becomes of the caller’s objects', () => {
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
    [{ approval: { when: 'never' } }, '/tools/0/approval/when: is not a known member'],
    [
      { approval: { confirmation: '' } },
      '/tools/0/approval/confirmation: expected text that is not empty, got a string',
    ],
    [
      { approval: { expiresInMs: 0 } },
      '/tools/0/approval/expiresInMs: expected a whole number above 0, got a number',
    ],
  ])('cannot say %j', (rules, problem) => {
    expect(problemsOf({ tools: [{ tool: 'publishContent', ...rules }, 'searchContent'] })).toEqual([problem]);
  });

  it('ask for no approval of a question, which a person answers anyway', () => {
    const tool = defineInterrupt({ name: 'ask', description: 'Asks.', input: { type: 'object' } });
    expect(problemsOf({ tools: ['searchContent', 'publishContent', { tool, approval: true }] })).toEqual([
      '/tools/2/approval: does nothing for a tool of the kind interrupt',
    ]);
  });
});
