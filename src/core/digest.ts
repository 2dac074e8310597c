import { canonicalJson } from './canonical-json.ts';

/** SHA-256 of a value's canonical JSON, in hexadecimal: the same value gives the same digest everywhere. */
export async function digestJson(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(value));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
