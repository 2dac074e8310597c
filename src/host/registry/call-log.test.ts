import { expect, it } from 'vitest';
import { defineTool } from '../../engine/index.ts';
import type { GeneratingAgent } from '../../runs/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import type { CallLogEntry } from './call-log.ts';
import { callLog } from './call-log.ts';
import { createRegistry } from './create-registry.ts';

it('callLog distinguishes done, failed and waiting calls, and logs no content', async () => {
  const lines: CallLogEntry[] = [];
  const log = callLog((entry) => lines.push(entry));
  const input = { type: 'object' } as const;
  const broken = () => {
    throw new Error('disk full');
  };
  const registry = createRegistry({
    middleware: { model: { log: log.model }, tool: { log: log.tool } },
    profiles: {
      logged: {
        model: scriptedModel([
          { calls: ['fine', 'broken', 'waiting'].map((name) => ({ id: name, name, input: { secret: 1 } })) },
        ]),
        middleware: { model: ['log'], tool: ['log'] },
      },
    },
    tools: [
      defineTool({ name: 'fine', description: '', input, run: () => 'secret' }),
      defineTool({ name: 'broken', description: '', input, run: broken }),
      defineTool({ name: 'waiting', description: '', input, run: (_input, ctx) => ctx.interrupt() }),
    ],
    agents: [{ id: 'a', profile: 'logged', tools: ['fine', 'broken', 'waiting'] }],
  });
  const agent = registry.resolve('a')?.agent as GeneratingAgent;
  await agent.generate({ prompt: 'Go', threadId: 't', runId: 'r' });
  const told = lines.map((line): [string, unknown] => [
    line.call === 'tool' ? line.tool : line.call,
    [line.outcome, 'error' in line],
  ]);
  expect(Object.fromEntries(told)).toEqual({
    model: ['tool-calls', false],
    fine: ['done', false],
    broken: ['failed', true],
    waiting: ['waiting', false],
  });
  expect(lines.every(({ threadId, runId }) => threadId === 't' && runId === 'r')).toBe(true);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

it('callLog logs a failed model, which still fails', async () => {
  const lines: CallLogEntry[] = [];
  const registry = createRegistry({
    profiles: {
      p: {
        model: scriptedModel([{ error: new Error('overloaded') }]),
        middleware: { model: [callLog((entry) => lines.push(entry)).model] },
      },
    },
    tools: [],
    agents: [{ id: 'a', profile: 'p' }],
  });
  const agent = registry.resolve('a')?.agent as GeneratingAgent;
  await expect(agent.generate({ prompt: 'Go' })).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  expect(lines).toMatchObject([{ call: 'model', outcome: 'failed' }]);
});
