import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approve, defineTool, generate } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';

const output = z.object({ city: z.string() });
const lookUp = defineTool({
  name: 'lookUp',
  description: 'Looks a city up.',
  input: z.object({}),
  approval: true,
  run: () => 'Oslo',
});

describe('generate with an output', () => {
  it('returns the input of finalOutput, also after an interrupt', async () => {
    const model = scriptedModel([
      { calls: [{ name: 'lookUp' }] },
      { calls: [{ name: 'finalOutput', input: { city: 'Oslo' } }] },
    ]);
    const call = { model, tools: [lookUp], output };
    const paused = await generate({ ...call, prompt: 'Where do I live?' });
    expect([paused.finishReason, paused.result]).toEqual(['interrupted', undefined]);
    const resume = paused.interrupts.map((part) => approve(part));
    const { result } = await generate({ ...call, messages: paused.messages, resume });
    expect(result).toEqual({ city: 'Oslo' });
  });

  it('reads the output from JSON text', async () => {
    const { result } = await generate({
      model: scriptedModel(['{"city":"Oslo"}']),
      prompt: 'Where?',
      output,
    });
    expect(result).toEqual({ city: 'Oslo' });
  });

  it.each([['no JSON'], ['{"town":"Oslo"}']])('throws MODEL_FAILED for %s', async (text) => {
    const response = generate({ model: scriptedModel([text]), prompt: 'Where?', output });
    await expect(response).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  });
});
