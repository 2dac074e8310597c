import { expect, it } from 'vitest';
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
