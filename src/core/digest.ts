import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from './canonical-json.ts';

/**
 * SHA-256 of a value's canonical JSON, in hexadecimal: the same value gives the same digest everywhere. Made here and now:
 * for texts as short as these, the platform's own hash costs more to wait for than to do.
 */
export function digestJson(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}
