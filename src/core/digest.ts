import { canonicalJson } from './canonical-json.ts';
import { platformHash, portableHash } from './hash-text.ts';

const hashText = /* @__PURE__ */ (() => platformHash() ?? portableHash)();

/**
 * SHA-256 of a value's canonical JSON, in hexadecimal: the same value gives the same digest everywhere. Made here and now:
 * for texts as short as these, a hash that is waited for costs more to wait for than to do.
 */
export function digestJson(value: unknown): string {
  return hashText(canonicalJson(value));
}
