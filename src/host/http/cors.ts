import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { HoldpointError } from '../../core/index.ts';
import type { CorsOptions } from '../host-options.ts';

/** Seconds for which a browser may keep the response to a preflight. */
const MAX_AGE_SECONDS = 600;

/** Answers preflights and marks responses for pages of the listed origins. Throws `INPUT_INVALID` for an entry that is not an origin. */
export function corsMiddleware({ origins, credentials = false }: CorsOptions): MiddlewareHandler {
  for (const origin of origins) {
    if (!isOrigin(origin)) {
      throw new HoldpointError(
        'INPUT_INVALID',
        `cors.origins has ${JSON.stringify(origin)}. List whole origins, such as https://app.example.`,
      );
    }
  }
  return cors({
    origin: [...origins],
    credentials,
    maxAge: MAX_AGE_SECONDS,
    exposeHeaders: ['content-disposition', 'retry-after', 'www-authenticate'],
  });
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value;
}
