import type { AgentCard } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { HoldpointError, isRecord, messageOf } from '../../core/index.ts';

/** Where an agent is. */
export type AgentAddress =
  /** Of the agent; its card is at the well-known path, or at `cardPath`. */
  | { readonly url: string; readonly cardPath?: string }
  /** A card that is known already, of whatever version. */
  | { readonly card: object }
  | { readonly client: Client };

export interface ConnectOptions {
  /** Adds headers, credentials, a proxy. */
  readonly fetch?: typeof fetch;
  /** The binding to use where the agent offers several. */
  readonly transport?: 'JSONRPC' | 'HTTP+JSON';
}

export interface Connection {
  readonly client: Client;
  readonly streaming: boolean;
  readonly protocolVersion: string;
}

/** A2A before 0.3 had its card here. */
const OLD_CARD_PATH = '/.well-known/agent.json';

/** Finds an agent and the version that both sides speak. Throws `AGENT_UNKNOWN` or `PROTOCOL_UNSUPPORTED`. */
export async function connect(address: AgentAddress, options: ConnectOptions = {}): Promise<Connection> {
  if ('client' in address) {
    const card = await address.client.getAgentCard();
    return toConnection(address.client, card);
  }
  const given = {
    legacyCompat: { enabled: true },
    ...(options.fetch === undefined ? {} : { fetchImpl: options.fetch }),
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
    const sentence = `The A2A agent ${card.name} offers no binding that is known here.`;
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

/** Leaves the interfaces of versions that we speak: the SDK would speak 1.0 to any. */
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
      `The A2A agent ${card.name} speaks A2A ${versions} only.`,
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
