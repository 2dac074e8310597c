import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../testing/index.ts';
import { defineAgent, defineTool } from '../index.ts';
import { recentMessages } from './loop-settings.ts';

const note = defineTool({ name: 'note', description: '', input: {}, run: () => 'noted' });

describe('recentMessages', () => {
  it('passes whole turns from the end, and all system messages', async () => {
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'note' }] },
    );
    const agent = defineAgent({ id: 'a', model, tools: [note], middleware: { model: [recentMessages(6)] } });
    let messages = (
      await agent.generate({ messages: [{ id: 's', role: 'system', content: 'Be kind.' }], prompt: '1' })
    ).messages;
    for (const prompt of ['2', '3']) messages = (await agent.generate({ messages, prompt })).messages;
    const seen = model.requests.map((request) =>
      request.messages.map(({ role, content }) => (role === 'user' || role === 'system' ? content : role)),
    );
    expect(seen.at(-1)).toEqual(['Be kind.', '3', 'assistant', 'tool']);
    expect(seen.every((one) => one[0] === 'Be kind.')).toBe(true);
    expect(messages).toHaveLength(13);
  });

  it('does not cut a turn', async () => {
    const model = scriptedModel(({ messages }) =>
      messages.length < 9 ? { calls: [{ name: 'note' }] } : 'Done.',
    );
    const agent = defineAgent({ id: 'a', model, tools: [note], middleware: { model: [recentMessages(2)] } });
    const { text } = await agent.generate({ prompt: 'go' });
    expect(text).toBe('Done.');
    expect(model.requests.at(-1)?.messages[0]).toMatchObject({ role: 'user', content: 'go' });
  });
});
