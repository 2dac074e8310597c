import { afterEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../engine/index.ts';
import { defineTool } from '../../engine/index.ts';
import { defineAgent } from '../../runs/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import { a2aAgent, toA2a } from '../index.ts';
import type { Wire } from '../testing-support/a2a-wire.ts';
import { createWire, OPERATIONS as op } from '../testing-support/a2a-wire.ts';
import type { ServedFetch } from '../testing-support/serve-fetch.ts';
import { serveFetch } from '../testing-support/serve-fetch.ts';

type Json = Record<string, unknown>;

const closing: ServedFetch[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((served) => served.close()));
});

async function serve(agent: Agent): Promise<string> {
  const service = toA2a(agent, {
    store: memoryStore(),
    card: { defaultInputModes: ['text/plain', 'image/png'] },
  });
  const served = await serveFetch((request) => service.fetch(request));
  closing.push(served);
  return served.url;
}

/** An agent that draws after an approval, behind `a2aAgent`, in front as A2A again. */
async function startChain() {
  const seen: unknown[] = [];
  const draw = defineTool({
    name: 'draw',
    description: 'Draws.',
    input: { type: 'object' },
    approval: true,
    run(_input, { emit }) {
      const part = { type: 'file', bytes: btoa('cat'), filename: 'cat.png', mediaType: 'image/png' };
      emit.activity('picture', 'ARTIFACT', { name: 'Picture', part });
      return 'drawn';
    },
  });
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return 'Here it is.';
    seen.push(last?.content);
    return { calls: [{ id: `call-${messages.length}`, name: 'draw' }] };
  });
  const inner = await serve(defineAgent({ id: 'painter', model, tools: [draw] }));
  const timing = { pollMs: 20, drainMs: 40 };
  const outer = await serve(a2aAgent({ id: 'bridge', url: inner, store: memoryStore(), timing }));
  return { seen, wire: createWire('HTTP+JSON', outer) };
}

const send = async (wire: Wire, parts: readonly Json[], more: Json = {}): Promise<Json> => {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts, ...more };
  return (await wire.call(op.send(message))).result['task'] as Json;
};

describe('toA2a in front of a2aAgent in front of toA2a', () => {
  it('passes files, an approval with its call, and artifacts through both', async () => {
    const { seen, wire } = await startChain();
    const picture = { raw: btoa('dog'), mediaType: 'image/png' };
    const asked = await send(wire, [{ text: 'Like this:' }, picture]);
    expect(seen).toEqual([
      [
        { type: 'text', text: 'Like this:' },
        { type: 'image', source: { type: 'data', value: btoa('dog'), mimeType: 'image/png' } },
      ],
    ]);
    expect(asked['status']).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' });
    const requests = ((asked['status'] as Json)['message'] as { parts: Json[] }).parts;
    expect(requests).toContainEqual(
      expect.objectContaining({
        data: expect.objectContaining({
          type: 'a2a.input.request',
          metadata: expect.objectContaining({ functionName: 'draw' }) as Json,
        }) as Json,
      }),
    );
    const end = await send(wire, [{ data: { approved: true } }], { taskId: asked['id'] });
    expect(end['status']).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    const parts = (end['artifacts'] as { parts: Json[] }[]).flatMap((artifact) => artifact.parts);
    expect(parts.filter((part) => 'raw' in part)).toEqual([
      { raw: btoa('cat'), filename: 'cat.png', mediaType: 'image/png' },
    ]);
    expect(parts.filter(({ text }) => text === 'Here it is.')).toHaveLength(1);
  });
});
