import { describe, expect, it } from 'vitest';
import { approve } from '../../content/interrupts/index.ts';
import type { Agent } from '../../engine/index.ts';
import type { GeneratingAgent } from '../../runs/index.ts';
import { defineAgent } from '../../runs/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import type { ResolvedAgent } from './build-agent.ts';
import { createRegistry } from './create-registry.ts';
import { contentRegistry } from './testing-support/content-agents.ts';

/** An agent that the registry made can also be used in process. */
const ours = (resolved: ResolvedAgent | undefined) => resolved!.agent as GeneratingAgent;

describe('an agent from data', () => {
  it('an agent from data has the model, settings and instructions of its profile', async () => {
    const { options, model } = contentRegistry();
    const response = await ours(createRegistry(options).resolve('editor')).generate({ prompt: 'Hi' });
    expect(response.text).toBe('Hello.');
    expect(model.requests[0]).toMatchObject({
      instructions: 'Be careful.',
      settings: { temperature: 0.2 },
      tools: [{ name: 'searchContent' }, { name: 'publishContent' }],
    });
  });

  it('prefers its own instructions, even empty ones', async () => {
    for (const instructions of ['Be quick.', '']) {
      const { options, model } = contentRegistry();
      const registry = createRegistry({ ...options, agents: [{ ...options.agents[0]!, instructions }] });
      await ours(registry.resolve('editor')).generate({ prompt: 'Hi' });
      expect(model.requests[0]?.instructions).toBe(instructions);
    }
  });

  it('an agent from data is found by id and alias only, ignoring case', () => {
    const registry = createRegistry(contentRegistry().options);
    const found = registry.resolve('editor');
    expect(registry.resolve('content-editor')).toBe(found);
    expect(registry.resolve('Content-EDITOR')).toBe(found);
    for (const unknown of ['Editor 1', 'edit', '', '__proto__', 'constructor', '..', 'content-editor/..']) {
      expect(registry.resolve(unknown)).toBeUndefined();
    }
  });

  it('takes tools by scope and by id, each once', () => {
    const { options } = contentRegistry();
    const agents = [
      { id: 'reader', profile: 'careful', toolScopes: ['content:read'] },
      {
        id: 'both',
        profile: 'careful',
        tools: ['publishContent'],
        toolScopes: ['content:write', 'content:read'],
      },
      { id: 'none', profile: 'careful' },
    ];
    const names = createRegistry({ ...options, agents })
      .list()
      .map(({ tools }) => tools.map(({ id }) => id));
    expect(names).toEqual([['searchContent'], ['publishContent', 'searchContent'], []]);
  });

  it('an agent from data gets middleware and context providers by name', async () => {
    const { options, model } = contentRegistry([
      { calls: [{ name: 'searchContent', input: { query: 'x' } }] },
      'Done.',
    ]);
    const seen: string[] = [];
    const registry = createRegistry({
      ...options,
      middleware: {
        model: {
          loud: (request, next) => next({ ...request, instructions: request.instructions?.toUpperCase() }),
        },
        tool: {
          watch: (call, next) => {
            seen.push(call.tool.name);
            return next();
          },
        },
      },
      contextProviders: { site: ({ run }) => ({ instructions: `Thread ${run.threadId}.` }) },
      profiles: {
        careful: { ...options.profiles.careful, middleware: { model: ['loud'], tool: ['watch'] } },
      },
      agents: [{ ...options.agents[0]!, contextProviders: ['site'] }],
    });
    await ours(registry.resolve('editor')).generate({ prompt: 'Hi', threadId: 't1' });
    expect(model.requests[0]?.instructions).toContain('BE CAREFUL.');
    expect(model.requests[0]?.instructions).toContain('T1');
    expect(seen).toEqual(['searchContent']);
  });

  it('an agent from data may require approval for every call of tools that set no approval', async () => {
    const { options } = contentRegistry([{ calls: [{ name: 'searchContent', input: { query: 'x' } }] }]);
    const registry = createRegistry({ ...options, agents: [{ ...options.agents[0]!, approval: 'require' }] });
    const { finishReason } = await ours(registry.resolve('editor')).generate({ prompt: 'Hi' });
    expect(finishReason).toBe('interrupted');
  });
});

describe('the description of an agent', () => {
  it('the description of an agent is JSON with its tools, without instructions and model', () => {
    const { info } = createRegistry(contentRegistry().options).resolve('editor')!;
    expect(JSON.parse(JSON.stringify(info))).toEqual(info);
    expect(info).toMatchObject({
      id: 'editor',
      alias: 'content-editor',
      name: 'Editor',
      description: 'Edits pages.',
      profile: 'careful',
      tools: [
        { id: 'searchContent', scopes: ['content:read'], destructive: false, approval: 'never' },
        { id: 'publishContent', description: 'Publish a page.', kind: 'function', approval: 'always' },
      ],
    });
    expect(info.tools[0]?.inputSchema).toMatchObject({
      properties: { contentType: { description: 'Content type alias to filter by' } },
      required: ['query'],
    });
    expect(JSON.stringify(info)).not.toContain('Be careful');
  });
});

describe('an agent that is not data', () => {
  const script = defineAgent({ id: 'script', description: 'Code.', run: async () => 'done' });

  it('an agent that is not data is listed beside the others, with an alias', async () => {
    const { options } = contentRegistry();
    const registry = createRegistry({
      ...options,
      agents: [...options.agents, { agent: script, alias: 'code' }],
    });
    expect(registry.resolve('code')).toMatchObject({
      agent: script,
      info: { id: 'script', alias: 'code', description: 'Code.', tools: [] },
    });
    expect(registry.list().map(({ id }) => id)).toEqual(['editor', 'script']);
  });

  it('an agent that is not data is wrapped like the others', () => {
    const { options } = contentRegistry();
    const wrapped: string[] = [];
    const wrap = (agent: Agent, info: { readonly id: string }): Agent => {
      wrapped.push(info.id);
      return { ...agent, name: `measured ${info.id}` };
    };
    const registry = createRegistry({ ...options, wrap, agents: [...options.agents, { agent: script }] });
    expect(wrapped).toEqual(['editor', 'script']);
    expect(registry.resolve('script')?.agent.name).toBe('measured script');
  });
});

describe('a change during runs', () => {
  const publish = [{ calls: [{ name: 'publishContent', input: { id: 'home' } }] }, 'Published.'];

  it('leaves a resolved agent unchanged and applies to the next one', async () => {
    const { options, model } = contentRegistry(['One.', 'Two.']);
    const registry = createRegistry(options);
    const before = ours(registry.resolve('editor'));
    registry.set({ profiles: { careful: { model, instructions: 'Be bold.' } } });
    await before.generate({ prompt: 'Hi' });
    await ours(registry.resolve('editor')).generate({ prompt: 'Hi' });
    expect(model.requests.map(({ instructions }) => instructions)).toEqual(['Be careful.', 'Be bold.']);
  });

  it('lets a paused turn continue with the new definition', async () => {
    const { options, model, published } = contentRegistry(publish);
    const registry = createRegistry(options);
    const { messages, interrupts } = await ours(registry.resolve('editor')).generate({
      prompt: 'Publish home',
    });
    registry.setAgent({ ...options.agents[0]!, alias: 'renamed', instructions: 'Say it briefly.' });
    const resume = [approve(interrupts[0]!)];
    const done = await ours(registry.resolve('editor')).generate({ messages, resume });
    expect(done.text).toBe('Published.');
    expect(published).toEqual(['home']);
    expect(model.requests[1]?.instructions).toBe('Say it briefly.');
    expect(registry.resolve('content-editor')).toBeUndefined();
  });

  it('a change that removes the tool of a paused turn is reported with the answer', async () => {
    const { options, published } = contentRegistry(publish);
    const registry = createRegistry(options);
    const { messages, interrupts } = await ours(registry.resolve('editor')).generate({
      prompt: 'Publish home',
    });
    registry.setAgent({ ...options.agents[0]!, tools: ['searchContent'] });
    await expect(
      ours(registry.resolve('editor')).generate({ messages, resume: [approve(interrupts[0]!)] }),
    ).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
    expect(published).toEqual([]);
  });

  it('adds, replaces and removes one agent', () => {
    const { options } = contentRegistry();
    const registry = createRegistry(options);
    registry.setAgent({ id: 'reader', profile: 'careful', tools: ['searchContent'] });
    registry.setAgent({ id: 'EDITOR', profile: 'careful', name: 'New' });
    expect(registry.list().map(({ id, name }) => [id, name])).toEqual([
      ['EDITOR', 'New'],
      ['reader', undefined],
    ]);
    expect(registry.removeAgent('Reader')).toBe(true);
    expect(registry.removeAgent('reader')).toBe(false);
    expect(registry.list()).toHaveLength(1);
  });

  it('replaces everything at once, from JSON, with code by name', () => {
    const { options } = contentRegistry();
    const registry = createRegistry(options);
    const json = JSON.stringify({
      profiles: { other: { model: 'scripted' } },
      tools: ['searchContent', { tool: 'publishContent', destructive: true }],
      agents: [{ id: 'publisher', profile: 'other', tools: ['publishContent'] }],
    });
    registry.set(JSON.parse(json));
    expect(registry.list()).toMatchObject([
      { id: 'publisher', profile: 'other', tools: [{ destructive: true }] },
    ]);
    expect(registry.listTools().map(({ id }) => id)).toEqual(['searchContent', 'publishContent']);
  });
});

describe('registry functions', () => {
  it('toTools returns tools by id and rejects an unknown id', () => {
    const registry = createRegistry(contentRegistry().options);
    expect(registry.toTools(['publishContent']).map(({ name }) => name)).toEqual(['publishContent']);
    expect(() => registry.toTools(['publishContent', 'deleteSite'])).toThrow('there is no tool "deleteSite"');
  });

  it('createAgent returns an agent that is not kept', async () => {
    const { options } = contentRegistry([]);
    const registry = createRegistry({ ...options, models: { scripted: scriptedModel(['Preview.']) } });
    const preview = registry.createAgent({ id: 'preview', profile: 'careful' });
    expect((await ours(preview).generate({ prompt: 'Hi' })).text).toBe('Preview.');
    expect(registry.resolve('preview')).toBeUndefined();
    expect(() => registry.createAgent({ id: 'preview', profile: 'careless' })).toThrow('at /profile');
  });
});
