import { sha256 } from '@noble/hashes/sha2.js';
import { canonicalJson } from './canonical-json.ts';
import { toHex } from './ids.ts';

const hashText = /* @__PURE__ */ (() => platformHash() ?? portableHash)();

/**
 * SHA-256 of a value's canonical JSON, in hexadecimal; equal values have equal digests everywhere. Synchronous: for
 * short texts, awaiting a hash costs more than computing it.
 */
export function digestJson(value: unknown): string {
  return hashText(canonicalJson(value));
}

/** SHA-256 of a text as UTF-8, in hexadecimal. */
export function digestText(text: string): string {
  return hashText(text);
}

type HashText = (text: string) => string;

/** The portable implementation; it needs no platform API. */
export function portableHash(text: string): string {
  return toHex(sha256(new TextEncoder().encode(text)));
}

/** Node's implementation, at a fifth of the cost; undefined on other platforms. No bundler follows this import. */
export function platformHash(): HashText | undefined {
  const hash = globalThis.process?.getBuiltinModule?.('node:crypto')?.hash;
  return typeof hash === 'function' ? (text) => hash('sha256', text) : undefined;
}
