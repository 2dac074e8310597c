import type { AgentCard } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { defined, HoldpointError, isRecord, messageOf } from '../../core/index.ts';

/** The address of an agent: its URL, its card, or a client of the SDK. */
export type AgentAddress =
  /** The card is read from `cardPath`. Default: the well-known path. */
  | { readonly url: string; readonly cardPath?: string }
  /** A card of any A2A version. */
  | { readonly card: object }
  | { readonly client: Client };

export interface ConnectOptions {
  /** Sends all requests, for example with headers or credentials. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** The preferred binding if the agent offers several. Default: the first of the card. */
  readonly transport?: 'JSONRPC' | 'HTTP+JSON';
}

export interface Connection {
  readonly client: Client;
  readonly streaming: boolean;
  readonly protocolVersion: string;
}

/** The path of the card before A2A 0.3. */
const OLD_CARD_PATH = '/.well-known/agent.json';

/** Reads the card and chooses a binding and version. Throws `AGENT_UNKNOWN` or `PROTOCOL_UNSUPPORTED`. */
export async function connect(address: AgentAddress, options: ConnectOptions = {}): Promise<Connection> {
  if ('client' in address) {
    const card = await address.client.getAgentCard();
    return toConnection(address.client, card);
  }
  const given = {
    legacyCompat: { enabled: true },
    ...defined({ fetchImpl: options.fetch }),
  };
  const resolver = new DefaultAgentCardResolver(given);
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(given), new RestTransportFactory(given)],
    cardResolver: resolver,
    ...(options.transport === undefined ? {} : { preferredTransports: [options.transport] }),
  });
  const card =
    'card' in address ? resolver.normalizeAgentCard(address.card) : await fetchCard(resolver, address);
  const usable = withKnownVersions(card);
  try {
    return toConnection(await factory.createFromAgentCard(usable), usable);
  } catch (cause) {
    const sentence = `The A2A agent ${card.name} offers neither JSON-RPC nor HTTP+JSON.`;
    throw new HoldpointError('PROTOCOL_UNSUPPORTED', sentence, { cause });
  }
}

async function fetchCard(
  resolver: DefaultAgentCardResolver,
  { url, cardPath }: { readonly url: string; readonly cardPath?: string },
): Promise<AgentCard> {
  const paths = cardPath === undefined ? [undefined, OLD_CARD_PATH] : [cardPath];
  let failure: unknown;
  for (const path of paths) {
    try {
      return await resolver.resolve(url, path);
    } catch (error) {
      failure ??= error;
    }
  }
  const found = failure instanceof SyntaxError || messageOf(failure).includes('Failed to fetch Agent Card');
  throw found
    ? new HoldpointError('PROTOCOL_UNSUPPORTED', `There is no A2A agent card at ${url}.`, { cause: failure })
    : new HoldpointError('AGENT_UNKNOWN', `The A2A agent at ${url} cannot be reached.`, { cause: failure });
}

/** Removes interfaces of unknown versions, because the SDK speaks 1.0 to every interface. Throws `PROTOCOL_UNSUPPORTED`. */
function withKnownVersions(card: AgentCard): AgentCard {
  const interfaces: readonly unknown[] =
    isRecord(card) && Array.isArray(card.supportedInterfaces) ? card.supportedInterfaces : [];
  if (interfaces.length === 0) {
    throw new HoldpointError('PROTOCOL_UNSUPPORTED', 'The A2A agent card names no interface.');
  }
  const known = card.supportedInterfaces.filter(({ protocolVersion }) =>
    /^(1|0\.[23])(\.|$)/.test(protocolVersion || '1'),
  );
  if (known.length === 0) {
    const versions = card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion).join(', ');
    throw new HoldpointError(
      'PROTOCOL_UNSUPPORTED',
      `The A2A agent ${card.name} offers only A2A ${versions}; Holdpoint needs 1.x, 0.3 or 0.2.`,
    );
  }
  return { ...card, supportedInterfaces: known };
}

function toConnection(client: Client, card: AgentCard): Connection {
  return {
    client,
    streaming: card.capabilities?.streaming === true,
    protocolVersion: client.protocolVersion,
  };
}
