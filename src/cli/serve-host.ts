import { HoldpointError } from '../core/index.ts';
import type { Host } from '../host/index.ts';
import type { ServedHost, ServeOptions } from '../host/node/index.ts';
import { serve } from '../host/node/index.ts';

/** Serves a host for a command; a port that is taken is told as something to change. Throws `INPUT_INVALID`. */
export async function serveHost(host: Host, options: ServeOptions): Promise<ServedHost> {
  try {
    return await serve(host, options);
  } catch (cause) {
    await host.close();
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause;
    throw new HoldpointError(
      'INPUT_INVALID',
      `The port ${options.port ?? 4680} is taken: give another --port.`,
      { cause },
    );
  }
}
