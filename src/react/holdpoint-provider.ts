import type { ReactElement, ReactNode } from 'react';
import { createContext, createElement, useContext, useMemo } from 'react';
import type { Client } from '../client/index.ts';
import { createClient } from '../client/index.ts';
import { defined, HoldpointError } from '../core/index.ts';
import { browserStorage, defineElements } from '../elements/index.ts';
import type { SharedStores } from './shared-stores.ts';
import { createSharedStores } from './shared-stores.ts';

/** Properties of {@link HoldpointProvider}; set `url` or `client`. */
export interface HoldpointProviderProps {
  /** URL of the agent on its host, such as `/agents/assistant`. */
  readonly url?: string;
  /** A client of your own, instead of `url`. Create it once, outside of components. */
  readonly client?: Client;
  readonly children?: ReactNode;
}

const Stores = createContext<SharedStores | undefined>(undefined);

/**
 * Connects the hooks and components below it to an agent of a host.
 *
 * @example
 * ```ts
 * import { Chat, HoldpointProvider } from 'holdpoint/react';
 * import { createElement } from 'react';
 *
 * createElement(HoldpointProvider, { url: '/agents/assistant' }, createElement(Chat));
 * ```
 */
export function HoldpointProvider({ url, client, children }: HoldpointProviderProps): ReactElement {
  const stores = useMemo(() => createSharedStores(client ?? clientOf(url), url), [client, url]);
  if (typeof customElements !== 'undefined') defineElements();
  return createElement(Stores.Provider, { value: stores }, children);
}

/** The stores of the provider above. */
export function useStores(): SharedStores {
  const stores = useContext(Stores);
  if (stores !== undefined) return stores;
  throw new HoldpointError('INPUT_INVALID', 'Put a HoldpointProvider above this component.');
}

function clientOf(url: string | undefined): Client {
  if (url === undefined)
    throw new HoldpointError('INPUT_INVALID', 'HoldpointProvider needs a url or a client.');
  return createClient({ url, ...defined({ storage: browserStorage() }) });
}
