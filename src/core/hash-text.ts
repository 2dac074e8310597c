import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from './hex.ts';

/** SHA-256 of a text as UTF-8, in hexadecimal. */
export type HashText = (text: string) => string;

/** The same everywhere; it needs nothing of the platform. */
export function portableHash(text: string): string {
  return toHex(sha256(new TextEncoder().encode(text)));
}

/** Node's own, at a fifth of the cost, asked for in a way that no bundler follows; undefined elsewhere. */
export function platformHash(): HashText | undefined {
  const hash = globalThis.process?.getBuiltinModule?.('node:crypto')?.hash;
  return typeof hash === 'function' ? (text) => hash('sha256', text) : undefined;
}
