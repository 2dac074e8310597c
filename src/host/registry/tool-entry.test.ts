import { describe, expect, it } from 'vitest';
import type { Approval } from '../../engine/index.ts';
import { defineTool } from '../../engine/index.ts';
import type { GeneratingAgent } from '../../runs/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import { createRegistry } from './create-registry.ts';
import { stricterTool } from './tool-entry.ts';

const tool = (approval?: Approval<unknown>) =>
  defineTool({
    name: 'publish',
    description: 'Publishes.',
    input: { type: 'object' },
    scopes: ['write'],
    ...(approval === undefined ? {} : { approval }),
    run: () => 'published',
  });

describe('a tool with rules', () => {
  it.each([undefined, false, () => false, { when: () => false }])(
    'requires an approval for every call, whatever its author set: %o',
    async (own) => {
      const registry = createRegistry({
        profiles: { p: { model: scriptedModel([{ calls: [{ name: 'publish' }] }]) } },
        tools: [{ tool: tool(own), approval: { message: 'The editor in chief decides.' } }],
        agents: [{ id: 'a', profile: 'p', tools: ['publish'] }],
      });
      const { agent, info } = registry.resolve('a')!;
      const { interrupts } = await (agent as GeneratingAgent).generate({ prompt: 'Publish' });
      expect(interrupts[0]?.interrupt.message).toBe('The editor in chief decides.');
      expect(info.tools[0]?.approval).toBe('always');
    },
  );

  it('keeps the requirements of its author', () => {
    const own = { confirmation: 'publish it', expiresInMs: 1000, editable: true, message: 'Publish?' };
    const rules = {
      confirmation: 'ok',
      expiresInMs: 5000,
      message: 'Really publish?',
      requireReason: true,
    } as const;
    expect(stricterTool(tool(own), { approval: rules }).approval).toEqual({
      confirmation: 'publish it',
      expiresInMs: 1000,
      editable: true,
      message: 'Really publish?',
      requireReason: true,
    });
  });

  it('a tool with rules has its own scopes and those of the rules', () => {
    const strict = stricterTool(tool(), { scopes: ['site', 'write'], destructive: true });
    expect(strict).toMatchObject({ scopes: ['write', 'site'], destructive: true, approval: undefined });
  });

  it('a tool without rules is returned unchanged', () => {
    const plain = tool();
    expect(stricterTool(plain, {})).toBe(plain);
  });
});
