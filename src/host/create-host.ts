import type { Context, MiddlewareHandler } from 'hono';
import { Hono } from 'hono';
import { basePath as honoBasePath, matchedRoutes } from 'hono/route';
import { secureHeaders } from 'hono/secure-headers';
import { assertExpiry } from '../content/interrupts/index.ts';
import { checkOptions, HoldpointError, newId as defaultNewId, TOO_LATE, within } from '../core/index.ts';
import { useTelemetry } from '../engine/index.ts';
import type { Vault } from '../ledger/index.ts';
import { createGate, createLogin, createVault, neverStore, storeGrants } from '../ledger/index.ts';
import type { RunRequest } from '../runs/index.ts';
import { createFeed, createNotifier, createRuns } from '../runs/index.ts';
import type { AgentDirectory } from './agent-directory.ts';
import { createDirectory } from './agent-directory.ts';
import { startBackground } from './background.ts';
import { storeFiles } from './files/store-files.ts';
import { createFileQuota, fileReader, threadFiles } from './files/thread-files.ts';
import { createHostMetrics } from './host-metrics.ts';
import { hostOptionsCheck } from './check-host-options.ts';
import type { HostEnv, HostOptions, HostSource, Logger } from './host-options.ts';
import type { HostParts } from './host-parts.ts';
import { addAgentRoutes } from './http/agent-routes.ts';
import { corsMiddleware } from './http/cors.ts';
import { errorResponse } from './http/errors.ts';
import { addFileRoutes } from './http/file-routes.ts';
import { addGrantRoutes } from './http/grant-routes.ts';
import { addInboxRoutes } from './http/inbox-routes.ts';
import { createOpenApi } from './http/openapi.ts';
import { createSharedInboxes } from './http/shared-inbox.ts';
import { ACCESS_CHECK_MS, createOpenStreams } from './http/stream-response.ts';
import { addRunRoutes } from './http/run-routes.ts';
import { addThreadRoutes } from './http/thread-routes.ts';
import { addUiMessageRoutes } from './http/ui-message-routes.ts';
import { startRecheck } from './reconcile.ts';
import { createUseLimit, limitsInForce } from './use-limit.ts';

/** Serves agents over AG-UI, with an inbox. */
export interface Host {
  /** Answers a request; for Bun, Deno, workers and Node adapters. `source` has the address of the client. */
  readonly fetch: (request: Request, source?: HostSource) => Promise<Response>;
  /**
   * Answers requests for one agent at any path: a run, the thread as it is for a path that ends in `/connect`, and `useChat` of AI
   * SDK for a path that goes on with `/ui-message-stream`.
   * `app/api/agent/[[...path]]/route.ts` of Next.js: `export const POST = host.agentRoute('assistant')`.
   */
  agentRoute(idOrAlias: string): Host['fetch'];
  /** The Hono application, to mount in another one. */
  readonly app: Hono<HostEnv>;
  /** Whether the host has no `authenticate`. `serve` then accepts loopback addresses only. */
  readonly isUnauthenticated: boolean;
  /** Whether the host accepts unauthenticated requests from any address. */
  readonly allowsUnauthenticated: boolean;
  /** Looks for work of other processes now. */
  sweep(): Promise<void>;
  /** Rejects new requests, waits for active runs, and hands the rest over to other processes. */
  close(options?: { readonly withinMs?: number }): Promise<void>;
}

/** One part of so many of the active runs is kept for runs that continue an answer. */
const RESERVED_SHARE = 5;

/** Milliseconds for open streams to send their last events when the host closes. */
const LAST_EVENTS_MS = 100;

/** How long `GET /healthz` waits for the store. */
const HEALTH_MS = 2000;

const SILENT: Logger = { error: () => undefined, warn: () => undefined, info: () => undefined };

/* oxlint-disable eslint/no-console -- the default logger */
const CONSOLE: Logger = {
  error: (details, message) => console.error(message, details),
  warn: (details, message) => console.warn(message, details),
  info: () => undefined,
};
/* oxlint-enable eslint/no-console */

/**
 * Creates a host: runs, sessions, an inbox and live events for agents on a store. The host does not close the store. Throws
 * `INPUT_INVALID` for an option that does not fit.
 *
 * @example
 * ```ts
 * import { defineAgent } from 'holdpoint';
 * import { createHost } from 'holdpoint/host';
 * import { sqliteStore } from 'holdpoint/store/sqlite';
 * import { scriptedModel } from 'holdpoint/testing';
 *
 * const clerk = defineAgent({ id: 'clerk', model: scriptedModel(['Hello.']) });
 * const host = createHost({ agents: [clerk], store: sqliteStore('holdpoint.db') });
 * const response = await host.fetch(new Request('http://localhost/agents'));
 * ```
 */
export function createHost(options: HostOptions): Host {
  checkOptions('options of createHost', options, hostOptionsCheck);
  const { store, newId = defaultNewId } = options;
  const logger = options.logger === false ? SILENT : (options.logger ?? CONSOLE);
  const { telemetry } = options;
  const cors = options.cors === undefined ? undefined : corsMiddleware(options.cors);
  assertExpiry(options.interrupts?.onExpire, { owner: 'The option `interrupts` of the host' });
  warnIfOpen(options, logger);
  const metrics = telemetry === undefined ? undefined : createHostMetrics(telemetry, store);
  const agents = createDirectory(options.agents, (agent) =>
    telemetry === undefined ? agent : useTelemetry(agent, telemetry),
  );
  warnOfUnseenCalls(options, agents, logger);
  const feed = createFeed(store);
  let vault: Promise<Vault> | undefined;
  const openVault = async (): Promise<Vault | undefined> =>
    options.secretKey === undefined ? undefined : (vault ??= createVault(options.secretKey));
  const closing = new AbortController();
  const limits = limitsInForce(options.limits);
  const streams = createOpenStreams(createUseLimit(limits, { option: 'openStreams', what: 'open streams' }));
  const runLimit = createUseLimit(limits, {
    option: 'concurrentRuns',
    what: 'active runs',
    reserve: Math.floor(limits.concurrentRuns / RESERVED_SHARE),
  });
  let accepting = true;
  const onError = (error: unknown, where: object = {}) =>
    logger.error({ err: error, ...where }, 'A run failed.');
  const notify = createNotifier(store, options.onInterrupt, onError);
  const files = options.files?.store ?? storeFiles(store);
  const runs = createRuns({
    store,
    newId,
    leaseMs: options.leaseMs,
    admit(request) {
      const { principal } = request.access;
      const leave = runLimit.take(principal, 1, { mayUseReserve: continuesAnAnswer(request) });
      return () => {
        leave();
        background.madeRoom(principal);
      };
    },
    maxCharacters: options.limits?.agentCharacters,
    quotas: limits,
    onExpire: options.interrupts?.onExpire,
    approversOf: options.interrupts?.approvers,
    vault: openVault,
    contextFor: ({ access: { key }, agent }) => ({
      agentId: agent.id,
      policies: options.policies ?? [],
      mode: options.mode ?? 'interactive',
      interruptTtlMs: options.interrupts?.ttlMs,
      grants: storeGrants(store, key.scope),
      files: fileReader(files, key),
      onError,
      onWarning: (warning, failure) => logger.warn({ thread: key.thread, ...failure }, warning),
    }),
    onError,
    onOutcome: (outcome, agent) => metrics?.run(outcome, agent),
    onClaimed: (claimed) => metrics?.decided(claimed),
    onEnd: (key, runId) => notify(key, (record) => record.runId === runId),
  });
  const background = startBackground({
    store,
    agents,
    runs,
    newId,
    everyMs: options.sweepMs ?? 1000,
    keepEventsMs: options.keepEventsMs ?? 600_000,
    onSwept: (what, count) => metrics?.swept(what, count),
    agentsElsewhere: options.agentsElsewhere === true,
    onError,
    onUnknownAgent: ({ thread }, agent) =>
      logger.warn({ thread, agent }, 'A thread cannot go on here: this host does not know its agent.'),
  });
  const recheck = startRecheck({
    store,
    agents,
    everyMs: options.sweepMs ?? 1000,
    recheckMs: options.interrupts?.recheckMs ?? 60_000,
    goOn: (key) => background.goOn(key),
    onDropped: (count) => metrics?.swept('withdrawn', count),
    onError: (error, where) =>
      logger.warn({ err: error, ...where }, 'An agent did not say whether it still waits.'),
  });
  const stopWatching = store.watch((key) => runs.changed(key));

  const parts: HostParts = {
    options,
    gate: createGate(store, {
      authorize: options.authorize,
      visibility: options.visibility,
      mayAnswer: options.interrupts?.mayAnswer,
    }),
    agents,
    runs,
    feed,
    files: threadFiles(files, createFileQuota(store, files, options.files?.quotas)),
    grantsOf: ({ principal }) => storeGrants(store, principal.scope),
    now: () => store.now(),
    newId,
    openVault,
    logger,
    closing: closing.signal,
    isAccepting: () => accepting,
    streams,
    inboxes: createSharedInboxes({ feed, accessCheckMs: options.accessCheckMs ?? ACCESS_CHECK_MS }),
    bodies: createUseLimit(limits, { option: 'bodyBytesAtWork', what: 'bytes of requests at work' }),
    ready: (key) => void background.goOn(key),
    canGoOn: (key, agent) => background.canGoOn(key, agent),
    notify,
    metrics,
  };
  const paths = createPaths(options.basePath);
  const app = createApp(parts, {
    paths,
    cors,
    async reachStore() {
      // A store may wait for its database much longer than who asks for the health of a host.
      const read = store.get('threads', [{ scope: '', thread: '', id: '' }]);
      if ((await within(read, HEALTH_MS)) === TOO_LATE)
        throw new HoldpointError('STORE_FAILED', `The store did not answer within ${HEALTH_MS} ms.`);
    },
  });
  return {
    app,
    fetch: async (request, source) => app.fetch(request, source),
    agentRoute: (idOrAlias) => async (request, source) => {
      paths.setAgent(request, idOrAlias);
      return app.fetch(request, source);
    },
    isUnauthenticated: options.authenticate === undefined,
    allowsUnauthenticated: options.allowUnauthenticated === true,
    async sweep() {
      await Promise.all([background.sweep(), recheck.look()]);
    },
    async close({ withinMs = 10_000 } = {}) {
      accepting = false;
      const end = performance.now() + withinMs;
      await Promise.all([background.stop(), recheck.stop()]);
      await runs.drain(withinMs);
      await background.anchor();
      closing.abort();
      // Streams of runs that ended in time also get their last events.
      await streams.close(Math.max(LAST_EVENTS_MS, end - performance.now()));
      metrics?.stop();
      stopWatching();
      feed.close();
    },
  };
}

/** The path at which another Hono application mounted this one; empty for none. */
function mountedPath(context: Context<HostEnv>): string {
  return honoBasePath(context).replace(/\/$/, '');
}

/** Whether a run brings an answer, or continues a thread whose answers are complete. */
function continuesAnAnswer({ input, continues }: RunRequest): boolean {
  return continues === 'background' || (input.resume ?? []).length > 0;
}

/** True for a method that reads a page. */
function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Warns if the host neither authenticates nor sets `allowUnauthenticated`. */
function warnIfOpen({ authenticate, allowUnauthenticated }: HostOptions, logger: Logger): void {
  if (authenticate !== undefined) return;
  if (allowUnauthenticated === true) {
    const message =
      'This host accepts unauthenticated requests from any address: allowUnauthenticated is set.';
    logger.warn({ allowUnauthenticated }, message);
    return;
  }
  logger.info({}, 'This host has no authenticate: it accepts requests from this machine only.');
}

/** Says which agents make calls that the policies of the host do not see. */
function warnOfUnseenCalls({ policies = [] }: HostOptions, agents: AgentDirectory, logger: Logger): void {
  const foreign = policies.length === 0 ? [] : agents.list().filter(({ isOurs }) => !isOurs);
  const named = (shows: boolean) =>
    foreign.flatMap(({ id, showsCalls = false }) => (showsCalls === shows ? [id] : []));
  if (named(false).length > 0) {
    const message =
      'Policies do not see the calls of these agents, because they make them without showing them first. Set approvals in their own framework.';
    logger.warn({ agents: named(false) }, message);
  }
  if (named(true).length > 0) {
    const message = 'Policies see only the calls that these agents ask approval for.';
    logger.info({ agents: named(true) }, message);
  }
}

/** The end of a path with something to do for one agent, other than a run. */
const ACTION_OF_AGENT = /\/(?:ui-message-stream(?:\/[^/]+){0,2}|connect)$/;

/** The paths of requests in the routes of the host. */
function createPaths(basePath = '') {
  const { getPath } = new Hono();
  const base = basePath.replace(/\/+$/, '');
  const ofAgents = new WeakMap<Request, string>();
  const outside = new WeakSet<Request>();
  const inside = new WeakSet<Request>();
  return {
    of(request: Request): string {
      const known = ofAgents.get(request);
      if (known !== undefined) return known;
      const path = getPath(request);
      const isInside = `${path}/`.startsWith(`${base}/`);
      (isInside ? inside : outside).add(request);
      return isInside ? path.slice(base.length) || '/' : path;
    },
    /** The part of the path of a request that is before the host. A Hono application around the host routes by itself. */
    before: (context: Context<HostEnv>) =>
      `${context.env?.mountPath ?? ''}${inside.has(context.req.raw) ? base : mountedPath(context)}`,
    /** Whether a request is outside the base path. False for a request that an application around the host routes. */
    isOutside: (request: Request) => outside.has(request),
    /** Routes a request to one agent, at any path. */
    setAgent(request: Request, idOrAlias: string): void {
      const [action = ''] = ACTION_OF_AGENT.exec(getPath(request)) ?? [];
      ofAgents.set(request, `/agents/${encodeURIComponent(idOrAlias)}${action}`);
    },
  };
}

function createApp(
  parts: HostParts,
  given: {
    readonly paths: ReturnType<typeof createPaths>;
    readonly cors: MiddlewareHandler | undefined;
    /** Throws if the store cannot be reached. */
    readonly reachStore: () => Promise<void>;
  },
): Hono<HostEnv> {
  const { options, logger } = parts;
  const app = new Hono<HostEnv>({ getPath: (request) => given.paths.of(request) });
  const login = createLogin({ ...options, origins: options.cors?.origins }, (sentence) =>
    logger.warn({}, sentence),
  );
  app.onError((error, context) => {
    const response = errorResponse(error, options.signIn);
    if (response.status >= 500) logger.error({ err: error, path: context.req.path }, 'A request failed.');
    return response;
  });
  const pageAt = async (context: Context<HostEnv>, path: string) => {
    const { url, raw } = context.req;
    return options.pages?.(
      new Request(new URL(path + new URL(url).search, url), { headers: raw.headers }),
      given.paths.before(context),
    );
  };
  app.notFound(async (context) => {
    const { method, path } = context.req;
    context.env?.onUnrouted?.();
    const isPage = isRead(method) && context.req.header('accept')?.includes('text/html') === true;
    const page = isPage ? await pageAt(context, '/') : undefined;
    // The web app shows its own page for an unknown path.
    if (page !== undefined) return new Response(page.body, { status: 404, headers: page.headers });
    const error = { code: 'NOT_FOUND', message: `There is no route ${method} ${path}.` };
    return Response.json({ error }, { status: 404 });
  });
  app.use(
    secureHeaders({
      // These two headers affect the whole domain, so the application decides about them.
      strictTransportSecurity: false,
      originAgentCluster: false,
      crossOriginResourcePolicy: 'same-origin',
      xFrameOptions: 'DENY',
      referrerPolicy: 'no-referrer',
    }),
  );
  app.use(async (context, next) => (given.paths.isOutside(context.req.raw) ? context.notFound() : next()));
  if (given.cors !== undefined) app.use(given.cors);
  app.use(async (context, next) => {
    await next();
    // No client reads the body, so the host ends it.
    if (context.req.raw.method === 'HEAD') await context.res.body?.cancel();
  });
  app.get('/healthz', async (context) => {
    await given.reachStore();
    return context.json({ status: parts.isAccepting() ? 'ok' : 'closing' });
  });
  app.get('/openapi.json', (context) => context.json(createOpenApi()));
  app.use(async (context, next) => {
    const path = context.req.path.slice(mountedPath(context).length) || '/';
    const page = isRead(context.req.method) ? await pageAt(context, path) : undefined;
    if (page !== undefined) return page;
    // A stranger learns which routes there are, and nothing else. Routes have a method; middleware has none.
    return matchedRoutes(context).some(({ method }) => method !== 'ALL') ? next() : context.notFound();
  });
  app.use(async (context, next) => {
    await next();
    neverStore(context.res);
  });
  app.use(async (context, next) => {
    if (!parts.isAccepting()) throw new HoldpointError('UNAVAILABLE', 'The host is closing.');
    const principal = await login(context.req.raw, context.env);
    context.set('principal', principal);
    const counted: (() => void)[] = [];
    context.set('countBody', (bytes) => counted.push(parts.bodies.take(principal, bytes)));
    try {
      await next();
    } finally {
      for (const release of counted) release();
    }
  });
  addAgentRoutes(app, parts);
  addRunRoutes(app, parts);
  addUiMessageRoutes(app, parts);
  addInboxRoutes(app, parts);
  addThreadRoutes(app, parts);
  addFileRoutes(app, parts);
  addGrantRoutes(app, parts);
  return app;
}
