import type { AgentCard } from '@a2a-js/sdk';
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { defined, fetchWithin, HoldpointError, isRecord, messageOf } from '../../core/index.ts';
import type { Principal } from '../../engine/index.ts';
import { a2aFailure, checkStatus, refusalOf, wasNeverSent } from './a2a-failure.ts';

/** The address of an agent: its URL, its card, or a client of the SDK. */
export type AgentAddress =
  /** The card is read from `cardPath`, relative to `url`. Default: the well-known paths. A slash at the end of `url` makes no difference. */
  | { readonly url: string; readonly cardPath?: string }
  /** A card of any A2A version. */
  | { readonly card: object }
  | { readonly client: Client };

/** The caller on whose behalf a request is sent. */
export interface A2aCaller {
  /** The principal of the run; absent outside a host. */
  readonly principal?: Principal | undefined;
}

/** As the global `fetch`, with the caller. */
export type A2aFetch = (
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  caller: A2aCaller,
) => Promise<Response>;

/** The type of `headers` in every runtime: `HeadersInit` is a name of the DOM library. */
type A2aHeaders = NonNullable<RequestInit['headers']>;

export interface ConnectOptions {
  /** Sends all requests, also the one for the card. Default: the global `fetch`. */
  readonly fetch?: A2aFetch;
  /** Headers of every request, for example the credentials of the principal. Default: none. */
  readonly headers?: (caller: A2aCaller) => A2aHeaders | Promise<A2aHeaders>;
  /**
   * Origins that requests may go to besides the origin of `url`: by the interfaces on the card, or by redirects. Default: none,
   * because `headers` may return credentials.
   */
  readonly origins?: readonly string[];
  /** The preferred binding if the agent offers several. Default: the first of the card. */
  readonly transport?: 'JSONRPC' | 'HTTP+JSON';
}

export interface Connection {
  readonly client: Client;
  readonly streaming: boolean;
  readonly protocolVersion: string;
}

/** The well-known paths of a card; the last two are those before A2A 0.3. */
const CARD_PATHS = [AGENT_CARD_PATH, '.well-known/agent.json', '/.well-known/agent.json'];

/**
 * Connects to an agent for a principal: reads the card once, and chooses a binding and version. The card is read again after a
 * failure. Throws `AGENT_UNKNOWN` or `PROTOCOL_UNSUPPORTED`, and the refusal of the agent for a status such as 401.
 */
export function createConnector(
  address: AgentAddress,
  options: ConnectOptions = {},
): (principal?: Principal) => Promise<Connection> {
  let card: Promise<AgentCard> | undefined;
  const origins = new Set(options.origins);
  return async (principal) => {
    if ('client' in address) {
      card ??= address.client.getAgentCard();
      return toConnection(address.client, await card);
    }
    const given = { legacyCompat: { enabled: true }, fetchImpl: fetchFor(options, { principal }, origins) };
    const resolver = new DefaultAgentCardResolver(given);
    card ??= readCard(resolver, address, origins).catch((error: unknown) => {
      card = undefined;
      throw error;
    });
    const known = await card;
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory(given), new RestTransportFactory(given)],
      cardResolver: resolver,
      ...defined({ preferredTransports: options.transport && [options.transport] }),
    });
    try {
      return toConnection(await factory.createFromAgentCard(known), known);
    } catch (cause) {
      const sentence = `The A2A agent ${known.name} offers neither JSON-RPC nor HTTP+JSON.`;
      throw new HoldpointError('PROTOCOL_UNSUPPORTED', sentence, { cause });
    }
  };
}

function fetchFor(
  { fetch: send, headers }: ConnectOptions,
  caller: A2aCaller,
  origins: ReadonlySet<string>,
): typeof fetch {
  return async (input, init) => {
    const added = new Headers(init?.headers);
    if (headers !== undefined) {
      for (const [name, value] of new Headers(await headers(caller))) added.set(name, value);
    }
    const response = await fetchWithin(origins, input instanceof Request ? input.url : String(input), {
      init: { ...init, headers: added },
      ...(send === undefined ? {} : { send: async (url, given) => send(url, given, caller) }),
    });
    return checkStatus(isStream(added, response) ? response : limited(response));
  };
}

/** The SDK reads a stream in pieces and limits each; it reads every other response as a whole. */
function isStream(asked: Headers, { ok, headers }: Response): boolean {
  return [asked.get('accept'), headers.get('content-type')].every(
    (type) => ok && type?.includes('text/event-stream') === true,
  );
}

/** Largest card, task or message of an agent, in bytes. */
const RESPONSE_BYTES = 64 * 1024 * 1024;

/** A response whose body fails after {@link RESPONSE_BYTES}. The agent got the request, so the outcome of the request is in doubt. */
function limited(response: Response): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  let size = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size <= RESPONSE_BYTES) controller.enqueue(chunk);
      else controller.error(new Error(`The response has more than ${RESPONSE_BYTES} bytes.`));
    },
  });
  return new Response(body.pipeThrough(counted), { status, statusText, headers });
}

async function readCard(
  resolver: DefaultAgentCardResolver,
  address: Exclude<AgentAddress, { client: Client }>,
  origins: Set<string>,
): Promise<AgentCard> {
  if ('card' in address) {
    const card = withKnownVersions(resolver.normalizeAgentCard(address.card));
    for (const { url } of card.supportedInterfaces) if (URL.canParse(url)) origins.add(new URL(url).origin);
    return card;
  }
  if (URL.canParse(address.url)) origins.add(new URL(address.url).origin);
  return withinOrigins(withKnownVersions(await fetchCard(resolver, address)), origins);
}

/** Removes interfaces of other origins, because the card is the agent's own text. Throws `PROTOCOL_UNSUPPORTED`. */
function withinOrigins(card: AgentCard, origins: ReadonlySet<string>): AgentCard {
  const found = card.supportedInterfaces.map(({ url }) => (URL.canParse(url) ? new URL(url).origin : url));
  const within = card.supportedInterfaces.filter((_one, index) => origins.has(found[index] ?? ''));
  if (within.length > 0) return { ...card, supportedInterfaces: within };
  const sentence = `The card of the A2A agent ${card.name} names another origin: ${found.join(', ')}. Add it to \`origins\` if it may get the requests and their credentials.`;
  throw new HoldpointError('PROTOCOL_UNSUPPORTED', sentence);
}

async function fetchCard(
  resolver: DefaultAgentCardResolver,
  address: { readonly url: string; readonly cardPath?: string },
): Promise<AgentCard> {
  const { url } = address;
  const places = cardUrls(address);
  let failure: unknown;
  for (const place of places) {
    try {
      return await resolver.resolve(url, place);
    } catch (error) {
      failure ??= error;
      if (wasNeverSent(error)) break;
    }
  }
  if (HoldpointError.is(failure)) throw failure;
  const { status } = refusalOf(failure) ?? {};
  if (status !== undefined && status !== 404) throw a2aFailure(`at ${url}`, failure);
  const found =
    status === 404 ||
    failure instanceof SyntaxError ||
    messageOf(failure).includes('Failed to fetch Agent Card');
  throw found
    ? new HoldpointError(
        'PROTOCOL_UNSUPPORTED',
        `There is no A2A agent card at ${places.join(' or ')}. Set cardPath if it is elsewhere.`,
        { cause: failure },
      )
    : new HoldpointError('AGENT_UNKNOWN', `The A2A agent at ${url} cannot be reached.`, { cause: failure });
}

/** The addresses to look for a card: below `url`, then beside its last segment, where a card may be if `url` is an endpoint. */
function cardUrls({ url, cardPath }: { readonly url: string; readonly cardPath?: string }): string[] {
  if (!URL.canParse(url)) throw new HoldpointError('INPUT_INVALID', `${url} is not a valid URL.`);
  const below = new URL(url);
  if (!below.pathname.endsWith('/')) below.pathname += '/';
  const paths = cardPath === undefined ? CARD_PATHS : [cardPath];
  return [...new Set(paths.flatMap((path) => [below, url].map((base) => new URL(path, base).href)))];
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
