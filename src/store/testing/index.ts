/** store/testing: the store contract as tests, for authors of stores. */
export { storeContract } from './store-contract.ts';
export type { ContractCase, StoreUnderTest } from './store-contract.ts';
export type * from '../store.ts';
