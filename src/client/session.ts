import type { ContentRegistry, CustomRequest, CustomResponse } from '../content/index.ts';
import type { IdGenerator } from '../core/index.ts';
import { defined, systemClock } from '../core/index.ts';
import type { DialectName } from '../protocol/index.ts';
import type { ClientOptions, ClientTool } from './client-options.ts';
import type { Connection } from './connection.ts';
import { createConnection } from './connection.ts';
import type { BackOff } from './stream/back-off.ts';
import type { ThreadStore } from './thread/thread-store.ts';
import { createThreadStore } from './thread/thread-store.ts';

/** The shared parts of one client: its options with defaults, and its threads. */
export interface Session<Request extends CustomRequest = never, Response extends CustomResponse = never> {
  readonly connection: Connection;
  readonly dialect: DialectName;
  readonly tools: readonly ClientTool[];
  readonly maxToolRounds: number;
  readonly registry: ContentRegistry<Request, Response> | undefined;
  readonly backOff: BackOff;
  readonly stallTimeoutMs: number | undefined;
  readonly newId: IdGenerator;
  readonly warn: (warning: string) => void;
  /** Returns the store of a thread; one per id for the life of the client. */
  thread(id: string): ThreadStore;
}

/** Creates a session from the options of a client, with their defaults. */
export function createSession<Request extends CustomRequest, Response extends CustomResponse>(
  options: ClientOptions<Request, Response> & Pick<Session, 'newId'>,
): Session<Request, Response> {
  const { storage, retry = {}, random = Math.random, onWarning = () => undefined } = options;
  const backOff = { attempts: 5, baseDelayMs: 500, maxDelayMs: 15_000, ...defined(retry), random };
  const connection = createConnection(options, options.clock ?? systemClock, backOff);
  const threads = new Map<string, ThreadStore>();
  return {
    connection,
    dialect: options.dialect ?? '1.0',
    tools: options.tools ?? [],
    maxToolRounds: options.maxToolRounds ?? 10,
    registry: options.registry,
    backOff,
    stallTimeoutMs: options.stallTimeoutMs,
    newId: options.newId,
    warn: onWarning,
    thread(id) {
      const known = threads.get(id);
      if (known !== undefined) return known;
      const key = `holdpoint:${connection.runUrl}:${id}`;
      const store = createThreadStore(id, {
        warn: onWarning,
        kept: storage === undefined ? undefined : { storage, key },
      });
      threads.set(id, store);
      return store;
    },
  };
}
