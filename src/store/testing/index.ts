/** store/testing: what a store is, and its guarantees as tests, for whoever writes one. */
export { storeContract } from './store-contract.ts';
export type { ContractCase, StoreUnderTest } from './store-contract.ts';
export type {
  AppendLog,
  Batch,
  Change,
  CheckRow,
  CommitResult,
  DeleteRow,
  ListQuery,
  LogItem,
  LogName,
  LogQuery,
  Page,
  PutRow,
  Row,
  RowIndex,
  RowKey,
  Store,
  TableName,
} from '../store.ts';
