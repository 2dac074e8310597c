import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../../test/processes/free-port.ts';
import { dataPart, textPart } from '../parts.ts';
import { ASKS, DONE, EMAIL_REQUEST, executor, signUp, WORKING } from '../testing-support/executors.ts';
import { scriptedHandler } from '../testing-support/scripted-handler.ts';
import { serveFetch } from '../testing-support/serve-fetch.ts';
import { useBridge } from '../testing-support/use-bridge.ts';
import { a2aAgent } from '../index.ts';

const { start, open, serve } = useBridge();

describe('errors of an A2A agent', () => {
  it('a run fails with AGENT_UNKNOWN for an unreachable agent and works after the agent starts', async () => {
    const port = await freePort();
    const server = await serve(signUp(), { port });
    await server.close();
    const agent = a2aAgent({ url: server.url });
    expect((await open(agent).say('hi')).error).toMatchObject({
      code: 'AGENT_UNKNOWN',
      message: expect.stringContaining('cannot be reached'),
    });
    await serve(signUp(), { port });
    expect((await open(agent).say('hi')).interrupts).toHaveLength(1);
  });

  it.each([
    ['a 404', () => new Response('no', { status: 404 })],
    ['an HTML page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['an empty object', () => Response.json({})],
    ['null', () => Response.json(null)],
    [
      'a card with only an unknown binding',
      () =>
        Response.json({
          name: 'x',
          supportedInterfaces: [
            { url: 'http://x', protocolBinding: 'PIGEON', protocolVersion: '1.0', tenant: '' },
          ],
        }),
    ],
    [
      'a card with only another major version',
      () =>
        Response.json({
          name: 'x',
          supportedInterfaces: [
            { url: 'http://x', protocolBinding: 'JSONRPC', protocolVersion: '2.0', tenant: '' },
          ],
        }),
    ],
  ])('a run fails with PROTOCOL_UNSUPPORTED if the card is %s', async (_what, answer) => {
    const served = await serveFetch(async () => answer());
    const end = await open(a2aAgent({ url: served.url })).say('hi');
    await served.close();
    expect(end.error?.code).toBe('PROTOCOL_UNSUPPORTED');
  });

  it('a run fails with INPUT_INVALID for a refused message, and the next run sends it again', async () => {
    let refuses = true;
    const { handler } = scriptedHandler(async function* refusing(_message, { task, statusOf }) {
      if (refuses) throw new RequestMalformedError('contextId mismatch: secret detail');
      task.status = statusOf(task, DONE, { parts: [textPart('Done.')] });
      yield { $case: 'task', value: structuredClone(task) };
    });
    const { thread } = await start(handler);
    const { error } = await thread.say('one');
    expect(error?.code).toBe('INPUT_INVALID');
    expect(error?.message).not.toContain('secret');
    refuses = false;
    expect((await thread.again()).outcome).toBe('success');
    expect(thread.texts()).toEqual(['Done.']);
  });

  it('a run fails with TOO_LARGE for an artifact over the limit and does not cancel the task', async () => {
    const taken: unknown[] = [];
    const huge = executor((speaker) => {
      speaker.task(WORKING);
      if (speaker.request.task !== undefined) {
        taken.push(1);
        speaker.status(DONE);
        return;
      }
      speaker.artifact({ artifactId: 'big', parts: [dataPart({ text: 'x'.repeat(5000) }), textPart('y')] });
      speaker.status(ASKS, EMAIL_REQUEST);
    });
    const { thread, server } = await start(huge, { artifactBytes: 1000 });
    const end = await thread.say('go');
    expect(end.error).toMatchObject({ code: 'TOO_LARGE', message: expect.stringContaining('big') });
    expect(server.requests.filter((request) => request.includes('CancelTask'))).toEqual([]);
    expect(taken).toEqual([]);
  });

  it('a run fails with TOOL_FAILED without the words of the agent', async () => {
    const { thread } = await start(
      executor(() => {
        throw new Error('secret detail');
      }),
    );
    const end = await thread.say('go');
    expect(end.error?.code).toBe('TOOL_FAILED');
    expect(end.error?.message).not.toContain('secret');
  });
});
