/** store/testing: what a store is, and its guarantees as tests, for whoever writes one. */
export { storeContract } from './store-contract.ts';
export type { ContractCase, StoreUnderTest } from './store-contract.ts';
export type * from '../store.ts';
