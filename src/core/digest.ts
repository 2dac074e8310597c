import { canonicalJson } from './canonical-json.ts';
import { platformHash, portableHash } from './hash-text.ts';

const hashText = /* @__PURE__ */ (() => platformHash() ?? portableHash)();

/**
 * SHA-256 of a value's canonical JSON, in hexadecimal; equal values have equal digests everywhere. Synchronous: for
 * short texts, awaiting a hash costs more than computing it.
 */
export function digestJson(value: unknown): string {
  return hashText(canonicalJson(value));
}
