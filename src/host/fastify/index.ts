/** host/fastify: a host as a plugin of a Fastify 5 application. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Host } from '../create-host.ts';
import { createNodeHandler } from '../node/serve.ts';

/** The part of Fastify that is used. */
interface FastifyLike {
  readonly prefix: string;
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): void;
  all(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => void): void;
}

interface FastifyRequestLike {
  readonly raw: IncomingMessage;
  /** The client's address, by the application's `trustProxy`. */
  readonly ip?: string;
}

interface FastifyReplyLike {
  readonly raw: ServerResponse;
  hijack(): void;
}

/**
 * A host as a Fastify plugin: `await app.register(toFastify(host), { prefix: '/agent' })`.
 *
 * @example
 * ```ts
 * import fastify from 'fastify';
 * import { toFastify } from 'holdpoint/fastify';
 * import { createHost } from 'holdpoint/host';
 * import { memoryStore } from 'holdpoint/store/memory';
 *
 * const app = fastify();
 * await app.register(toFastify(createHost({ agents: [], store: memoryStore() })), { prefix: '/agent' });
 * ```
 */
export function toFastify(host: Pick<Host, 'fetch'>): (app: FastifyLike) => Promise<void> {
  const handle = createNodeHandler(host);
  return async (app) => {
    // The host reads bodies itself, within its own limits.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const { prefix } = app;
    const answer = ({ raw, ip }: FastifyRequestLike, reply: FastifyReplyLike) => {
      reply.hijack();
      if (prefix !== '' && raw.url?.startsWith(prefix) === true)
        raw.url = raw.url.slice(prefix.length) || '/';
      void handle(raw, reply.raw, { clientAddress: ip, mountPath: prefix });
    };
    app.all('/', answer);
    app.all('/*', answer);
  };
}
