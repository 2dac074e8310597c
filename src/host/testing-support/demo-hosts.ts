import { afterEach } from 'vitest';
import type { Principal } from '../../ledger/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import type { Host } from '../create-host.ts';
import { createHost } from '../create-host.ts';
import type { HostOptions } from '../host-options.ts';
import { demoAgent } from './demo-agent.ts';
import { createHostClient } from './host-client.ts';

/**
 * Returns a function that creates a host with two demo agents, and closes its hosts after each test. The header `x-who` names the
 * caller, as `id@scope@role@role`; `as` gives the client of a caller.
 */
export function useDemoHosts() {
  const hosts: Host[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close({ withinMs: 100 });
  });
  return (options: Partial<HostOptions> = {}) => {
    const outside = { done: [] as string[] };
    const store = options.store ?? memoryStore();
    const told: string[] = [];
    const logged: object[] = [];
    const warned: string[] = [];
    const host = createHost({
      agents: [demoAgent(outside), demoAgent(outside, 'second')],
      sweepMs: 0,
      authenticate: (request): Principal | null => {
        const [id = '', scope = 'acme', ...roles] = (request.headers.get('x-who') ?? '').split('@');
        return id === '' ? null : { id, scope, roles };
      },
      onInterrupt: ({ interrupt }, { thread }) => {
        told.push(`${thread} ${interrupt.reason}`);
      },
      logger: {
        error: (details) => logged.push(details),
        warn: (_details, message) => warned.push(message),
        info: () => {},
      },
      ...options,
      store,
    });
    hosts.push(host);
    const as = (who: string) => createHostClient(host.fetch, { headers: { 'x-who': who } });
    return { host, outside, store, told, logged, warned, as };
  };
}
