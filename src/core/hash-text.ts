import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from './hex.ts';

/** SHA-256 of a text as UTF-8, in hexadecimal. */
export type HashText = (text: string) => string;

/** The portable implementation; it needs no platform API. */
export function portableHash(text: string): string {
  return toHex(sha256(new TextEncoder().encode(text)));
}

/** Node's implementation, at a fifth of the cost; undefined on other platforms. No bundler follows this import. */
export function platformHash(): HashText | undefined {
  const hash = globalThis.process?.getBuiltinModule?.('node:crypto')?.hash;
  return typeof hash === 'function' ? (text) => hash('sha256', text) : undefined;
}
