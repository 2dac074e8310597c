import { describe, expect, it } from 'vitest';
import { HoldpointError } from '../../core/index.ts';
import { createConnector } from './connect.ts';

const card = {
  name: 'Travel',
  description: 'Books travel.',
  version: '1',
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
  supportedInterfaces: [
    { url: 'https://example.com/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' },
  ],
};

/** A server with a card at one address only. */
function serving(place: string | undefined) {
  const looked: string[] = [];
  const fetch = async (input: Parameters<typeof globalThis.fetch>[0]) => {
    const url = String(input);
    looked.push(url);
    return url === place ? Response.json(card) : new Response('Not here.', { status: 404 });
  };
  return { looked, fetch };
}

const [below, beside, old] = [
  'https://example.com/a2a/.well-known/agent-card.json',
  'https://example.com/.well-known/agent-card.json',
  'https://example.com/.well-known/agent.json',
];

it.each([
  { url: 'https://example.com/a2a', place: below },
  { url: 'https://example.com/a2a/', place: below },
  { url: 'https://example.com/a2a', place: beside },
  { url: 'https://example.com', place: beside },
  { url: 'https://example.com/a2a', place: old },
  { url: 'https://example.com/a2a/', place: old },
  { url: 'https://example.com/a2a', cardPath: 'card.json', place: 'https://example.com/a2a/card.json' },
  { url: 'https://example.com/a2a', cardPath: '/card.json', place: 'https://example.com/card.json' },
])('finds the card of $url at $place', async ({ place, ...address }) => {
  const { fetch } = serving(place);
  const { protocolVersion } = await createConnector(address, { fetch })();
  expect(protocolVersion).toBe('1.0');
});

it('names the addresses where it looked for a missing card, each of which it read once', async () => {
  const { looked, fetch } = serving(undefined);
  const connect = createConnector({ url: 'https://example.com/a2a' }, { fetch });
  const failure: unknown = await connect().catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'PROTOCOL_UNSUPPORTED',
    message: `There is no A2A agent card at ${looked.join(' or ')}. Set cardPath if it is elsewhere.`,
  });
  expect(looked.slice(0, 2)).toEqual([below, beside]);
  expect(new Set(looked).size).toBe(looked.length);
});

const MIB = 1024 * 1024;

it.each(['application/json', 'text/event-stream'])(
  'stops reading a card of the type %s that does not end',
  async (type) => {
    let sent = 0;
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 1;
          controller.enqueue(new Uint8Array(MIB).fill(32));
          if (sent === 100) controller.close();
        },
      });
    const url = 'https://agent.example/';
    const connect = createConnector(
      { url, cardPath: '/card' },
      { fetch: async () => new Response(body(), { headers: { 'content-type': type } }) },
    );
    await expect(connect()).rejects.toThrow(url);
    expect(sent).toBeLessThan(70);
  },
);

describe('an agent that names another origin', () => {
  const url = 'https://example.com/a2a';
  const moved = (origin: string) => ({
    ...card,
    supportedInterfaces: card.supportedInterfaces.map((one) => ({ ...one, url: `${origin}/a2a` })),
  });
  const connecting = (respond: (place: string) => Response, origins?: readonly string[]) => {
    const sentTo: string[] = [];
    const options = {
      headers: () => ({ 'x-api-key': 'secret' }),
      fetch: async (input: Parameters<typeof globalThis.fetch>[0]) => {
        sentTo.push(new URL(String(input)).origin);
        return respond(String(input));
      },
      ...(origins === undefined ? {} : { origins }),
    };
    const connected = createConnector({ url }, options)().then(
      () => 'connected',
      (error: unknown) => (HoldpointError.is(error) ? error.code : error),
    );
    return { connected, sentTo };
  };

  it('gets no request by its card, unless `origins` has the origin', async () => {
    const respond = () => Response.json(moved('http://10.0.0.1'));
    expect(await connecting(respond).connected).toBe('PROTOCOL_UNSUPPORTED');
    expect(await connecting(respond, ['http://10.0.0.1']).connected).toBe('connected');
  });

  it('gets no request by a redirect, unless `origins` has the origin', async () => {
    const respond = (place: string) =>
      place.startsWith('https://example.com')
        ? new Response(null, { status: 302, headers: { location: 'http://10.0.0.1/card' } })
        : Response.json(moved('https://example.com'));
    const refused = connecting(respond);
    expect(await refused.connected).toBe('PROTOCOL_UNSUPPORTED');
    expect(new Set(refused.sentTo)).toEqual(new Set(['https://example.com']));
    expect(await connecting(respond, ['http://10.0.0.1']).connected).toBe('connected');
  });

  it('may redirect within its own origin', async () => {
    const respond = (place: string) =>
      place.endsWith('/card')
        ? Response.json(moved('https://example.com'))
        : new Response(null, { status: 307, headers: { location: '/card' } });
    expect(await connecting(respond).connected).toBe('connected');
  });
});
