import type { AgentCard, Message, Part } from '@a2a-js/sdk';
import { A2A_PROTOCOL_VERSION, A2A_VERSION_HEADER, AgentCard as CardForm } from '@a2a-js/sdk';
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  ContentTypeNotSupportedError,
  RequestMalformedError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { digestJson, isRecord } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';

/** The version of a request that names none (A2A 1.0, section 3.6.2). */
const LEGACY_VERSION = '0.3';
/** Seconds for which a client may use a card without asking again. */
const MAX_AGE_SECONDS = 300;
const ETAG_LENGTH = 32;

/** The card of an agent at an address: A2A 1.0 over JSON-RPC and HTTP+JSON, and 0.3 over JSON-RPC unless `legacy` is false. */
export function agentCard(
  agent: Agent,
  {
    url,
    authenticates,
    legacy,
  }: { readonly url: string; readonly authenticates: boolean; readonly legacy: boolean },
  given: Partial<AgentCard> = {},
): AgentCard {
  const at = (protocolBinding: string, protocolVersion: string) => ({
    url,
    protocolBinding,
    tenant: '',
    protocolVersion,
  });
  const description = agent.description ?? `The agent ${agent.id}.`;
  return {
    name: agent.name ?? agent.id,
    description,
    version: '1.0.0',
    supportedInterfaces: [
      at('JSONRPC', A2A_PROTOCOL_VERSION),
      at('HTTP+JSON', A2A_PROTOCOL_VERSION),
      ...(legacy ? [at('JSONRPC', LEGACY_VERSION)] : []),
    ],
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extensions: [] },
    ...(authenticates ? BEARER : { securitySchemes: {}, securityRequirements: [] }),
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [
      {
        id: agent.id,
        name: agent.name ?? agent.id,
        description,
        tags: ['holdpoint'],
        examples: [],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    signatures: [],
    ...given,
  };
}

/** The scheme that a response with the status 401 names. */
const BEARER: Pick<AgentCard, 'securitySchemes' | 'securityRequirements'> = {
  securitySchemes: {
    bearer: {
      scheme: {
        $case: 'httpAuthSecurityScheme',
        value: { description: '', scheme: 'Bearer', bearerFormat: '' },
      },
    },
  },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
};

/**
 * The response with the card. A client that asks for 1.0 gets a card without members of 0.3. One that asks for a version before 1.0,
 * or for none, which means 0.3, gets those members and the interfaces of 1.0 in one card.
 */
export async function cardResponse(card: AgentCard, { headers }: Request): Promise<Response> {
  const body = isLegacyVersion(versionOf(headers)) ? await legacyCard(card) : CardForm.toJSON(card);
  const etag = `"${digestJson(body).slice(0, ETAG_LENGTH)}"`;
  const caching = {
    'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
    etag,
    vary: A2A_VERSION_HEADER,
  };
  const known = new Set(
    (headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, '')),
  );
  if (known.has(etag) || known.has('*')) return new Response(null, { status: 304, headers: caching });
  return Response.json(body, { headers: caching });
}

/** The version of a request without its patch number (A2A 1.0, section 3.6). Default 0.3, as the specification says. */
export function versionOf(headers: Headers): string {
  const given = headers.get(A2A_VERSION_HEADER)?.trim() ?? '';
  if (given === '') return LEGACY_VERSION;
  return /^(\d+\.\d+)\.\d+$/.exec(given)?.[1] ?? given;
}

export function isLegacyVersion(version: string): boolean {
  return version.startsWith('0.');
}

async function legacyCard(card: AgentCard): Promise<unknown> {
  const current: unknown = CardForm.toJSON(card);
  // The SDK exports its translation of cards only as a method of this handler, which calls this member alone.
  const source = { getAuthenticatedExtendedAgentCard: async () => card } as unknown as A2ARequestHandler;
  try {
    const legacy = await new LegacyRestTransportHandler(source).getAuthenticatedExtendedAgentCard(
      new ServerCallContext(),
    );
    return isRecord(current) ? { ...current, ...legacy } : legacy;
  } catch (error) {
    // The application replaced the interfaces with those of 1.0 alone.
    if (error instanceof VersionNotSupportedError) return current;
    throw error;
  }
}

/**
 * Throws `ContentTypeNotSupportedError` for a part of a media type that the card does not list (A2A 1.0, section 3.1.1), and
 * `RequestMalformedError` for a part without content. A text part may have any text type and a data part any JSON type.
 */
export function assertInputModes(message: Message, { defaultInputModes, skills }: AgentCard): void {
  const modes = [...defaultInputModes, ...skills.flatMap(({ inputModes }) => inputModes)];
  for (const part of message.parts) {
    if (part.content === undefined)
      throw new RequestMalformedError('A part of the message has no text, data, url or raw.');
    const mediaType = mediaTypeOf(part);
    if (mediaType === undefined || modes.some((mode) => includesType(mode, mediaType))) continue;
    throw new ContentTypeNotSupportedError(
      `The agent does not accept ${mediaType}. It accepts ${modes.join(', ')}.`,
    );
  }
}

/** The media type that the card must list; undefined for text and JSON. */
function mediaTypeOf({ content, mediaType }: Part): string | undefined {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (content?.$case === 'text') return type === '' || type.startsWith('text/') ? undefined : type;
  if (content?.$case === 'data') return type === '' || /[/+]json$/.test(type) ? undefined : type;
  return type === '' ? 'application/octet-stream' : type;
}

function includesType(mode: string, type: string): boolean {
  const [major, minor] = mode.toLowerCase().split('/');
  const [typeMajor, typeMinor] = type.split('/');
  return (major === '*' || major === typeMajor) && (minor === '*' || minor === typeMinor);
}
