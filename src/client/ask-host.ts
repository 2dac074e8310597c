import { HoldpointError, isRecord, parseJson } from '../core/index.ts';
import type { RequestHeaders } from './client-options.ts';
import type { Connection } from './connection.ts';

/** A request to a route of a Holdpoint host. */
interface HostRequest {
  /** Default: `POST` with a body, else `GET`. */
  readonly method?: 'PATCH' | 'DELETE';
  /** A `Blob` is sent as it is, with the content type of `headers`; any other value as JSON. */
  readonly body?: unknown;
  readonly headers?: RequestHeaders;
  readonly signal?: AbortSignal;
}

/** Sends a request to a route of a Holdpoint host. Throws a `HoldpointError` with the code of the host. */
export function sendToHost(
  connection: Connection,
  path: string,
  request: HostRequest = {},
): Promise<Response> {
  const method = 'body' in request ? 'POST' : 'GET';
  return connection.send({ method, ...request, url: hostUrl(connection) + path, accept: 'application/json' });
}

/** Like {@link sendToHost}; returns the JSON object of the response. */
export async function askHost<Answer>(
  connection: Connection,
  path: string,
  request: HostRequest = {},
): Promise<Answer> {
  const response = await sendToHost(connection, path, request);
  const value: unknown = parseJson(await response.text());
  if (!isRecord(value))
    throw new HoldpointError(
      'INPUT_INVALID',
      `The server sent no JSON object for ${path}. Check that it is a Holdpoint host.`,
    );
  // A Holdpoint host answers in the shapes of its routes.
  return value as Answer;
}

/** The URL below which a host has its routes. Throws `INPUT_INVALID` if it is not known. */
export function hostUrl({ base, runUrl }: Connection): string {
  if (base !== undefined) return base;
  const sentence = `The host of ${runUrl} has no known URL. Set the option "base" of createClient.`;
  throw new HoldpointError('INPUT_INVALID', sentence);
}

/** A query with its question mark; empty without members. */
export function queryOf(filter: object): string {
  const members = Object.entries(filter).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`;
}

export function threadPath(threadId: string): string {
  return `/threads/${encodeURIComponent(threadId)}`;
}
