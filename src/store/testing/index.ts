/** store/testing: the guarantees of a store, as tests for whoever writes one. */
export { storeContract } from './store-contract.ts';
export type { ContractCase, StoreUnderTest } from './store-contract.ts';
