/** store: keeps threads, runs, interrupts and their history. Each backend is a folder with its own entry. */
export { changedThreads } from './listeners.ts';
export { decodeCursor, encodeCursor } from './cursor.ts';
export {
  CHAIN_START,
  eraseEntry,
  findBrokenEntry,
  isIntactEntry,
  saltedDigest,
  sealEntry,
} from './history-chain.ts';
export type { ChainHead } from './history-chain.ts';
export { SECRET_MEMBER } from './search-text.ts';
export { keyText, logKey } from './stored-text.ts';
export { EVERYBODY } from './store.ts';
export type {
  AppendLog,
  Batch,
  Change,
  CheckRow,
  CommitResult,
  CountQuery,
  DeleteRow,
  Incarnation,
  LeaseOwner,
  ListQuery,
  LogItem,
  LogName,
  LogQuery,
  Page,
  Processes,
  PutRow,
  RewriteEntry,
  Row,
  RowIndex,
  RowKey,
  RowsQuery,
  SnapshotOf,
  Store,
  Stray,
  TableName,
} from './store.ts';
