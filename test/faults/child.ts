/** A process that commits a thread into its schema for each message. */
import { postgresStore } from 'holdpoint/store/postgres';

export interface TenantSetting {
  readonly url: string;
  readonly schema: string;
}

const { url, schema } = JSON.parse(process.argv[2] ?? '{}') as TenantSetting;
const store = postgresStore(url, { schema });

process.on('message', (thread: string) => {
  const append = { log: 'history' as const, scope: 's', thread, items: [schema] };
  const result = store.commit({ appends: [append] });
  void result.then(
    ({ ok }) => process.send?.(String(ok)),
    (error: unknown) => process.send?.(String(error)),
  );
});
