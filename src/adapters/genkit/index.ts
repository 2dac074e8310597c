/**
 * adapters/genkit: a Genkit generation as an agent for a host. The used parts of `genkit` are declared here, so that no version
 * of it is needed. Imports core, protocol, content and engine; no Node built-ins.
 */
export { fromGenkit } from './from-genkit.ts';
export type { FromGenkitOptions, GenkitTurn } from './from-genkit.ts';
export type { GenkitStream } from './sdk.ts';
