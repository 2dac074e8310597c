import type { JsonObject, JsonValue } from '../core/index.ts';
import {
  canonicalJson,
  fromBase64,
  HoldpointError,
  isRecord,
  ownMember,
  parseJson,
  toBase64,
  toHex,
} from '../core/index.ts';
import type { RowKey } from '../store/index.ts';
import { SECRET_MEMBER } from '../store/index.ts';

/** Encrypted secrets. */
export interface Sealed extends JsonObject {
  readonly keyId: string;
  readonly iv: string;
  readonly data: string;
}

/** Encrypts the secrets of answers under the key of the host. */
export interface Vault {
  /** Identifies the key without revealing it. */
  readonly keyId: string;
  /**
   * A fingerprint of a value: equal for equal values in answers to the same interrupt; reveals nothing without the
   * key.
   */
  fingerprint(interruptId: string, value: unknown): Promise<string>;
  /** Encrypts secrets for one row. They cannot be opened in another row. */
  seal(place: RowKey, secrets: readonly unknown[]): Promise<Sealed>;
  /** Throws `INPUT_INVALID` for another key or changed data. */
  open(place: RowKey, sealed: JsonObject): Promise<readonly JsonValue[]>;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;

/** A vault with a key of 32 random bytes in base64. Throws `INPUT_INVALID` for any other key. */
export async function createVault(secretKey: string): Promise<Vault> {
  const master = await crypto.subtle.importKey('raw', readKey(secretKey), 'HKDF', false, ['deriveKey']);
  const [cipher, mac] = await Promise.all([
    deriveKey(master, 'secrets', { name: 'AES-GCM', length: 256 }),
    deriveKey(master, 'fingerprints', { name: 'HMAC', hash: 'SHA-256', length: 256 }),
  ]);
  const sign = async (value: unknown) =>
    toHex(new Uint8Array(await crypto.subtle.sign('HMAC', mac, encode(value))));
  const keyId = (await sign('the id of this key')).slice(0, 16);
  return {
    keyId,
    fingerprint: (interruptId, value) => sign([interruptId, value]),
    async seal(place, secrets) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const data = await crypto.subtle.encrypt(algorithm(iv, place), cipher, encode(secrets));
      return { keyId, iv: toBase64(iv), data: toBase64(new Uint8Array(data)) };
    },
    async open(place, sealed) {
      try {
        const { iv: start, data: text } = sealed;
        if (typeof start !== 'string' || typeof text !== 'string') throw new TypeError('nothing sealed');
        const iv = fromBase64(start);
        const data = fromBase64(text);
        const opened = await crypto.subtle.decrypt(algorithm(iv, place), cipher, data);
        // `seal` wrote a list of JSON values.
        return parseJson(new TextDecoder().decode(opened)) as readonly JsonValue[];
      } catch (cause) {
        throw wrongKey(place.id, cause);
      }
    },
  };
}

/** The error for an interrupt that asks for a secret on a host without a key. */
export function noKey(interruptId: string): HoldpointError {
  return new HoldpointError(
    'INPUT_INVALID',
    `The interrupt ${interruptId} asks for a secret, which needs the option secretKey (32 random bytes in base64).`,
  );
}

/** The error for secrets that were encrypted with another key. */
export function wrongKey(interruptId: string, cause?: unknown): HoldpointError {
  const sentence = `The secrets of ${interruptId} were sealed with another secretKey: start with that one.`;
  return new HoldpointError('INPUT_INVALID', sentence, { cause });
}

function readKey(secretKey: string): Uint8Array<ArrayBuffer> {
  if (isSecretKey(secretKey)) return fromBase64(secretKey);
  throw new HoldpointError('INPUT_INVALID', 'The secretKey must be 32 random bytes in base64.');
}

/** Whether a value is a key for {@link createVault}. */
export function isSecretKey(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    return fromBase64(value).length === KEY_BYTES;
  } catch {
    return false;
  }
}

/** `CryptoKey` is a name of the DOM library. */
type SubtleKey = Parameters<typeof crypto.subtle.exportKey>[1];

function deriveKey(
  master: SubtleKey,
  purpose: string,
  type: { readonly name: string; readonly length: number; readonly hash?: string },
): Promise<SubtleKey> {
  const uses: ('sign' | 'encrypt' | 'decrypt')[] = type.name === 'HMAC' ? ['sign'] : ['encrypt', 'decrypt'];
  const hkdf = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: encode(['holdpoint', purpose]),
  };
  return crypto.subtle.deriveKey(hkdf, master, type, false, uses);
}

function algorithm(iv: Uint8Array<ArrayBuffer>, { scope, thread, id }: RowKey) {
  return { name: 'AES-GCM', iv, additionalData: encode([scope, thread, id]) };
}

function encode(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(canonicalJson(value));
}

/** A search skips the values of this member. */
const MEMBER = SECRET_MEMBER;

/** The marker of a secret in a stored answer: its interrupt and its number. */
export function secretMarker(interruptId: string, index: number): { readonly [MEMBER]: string } {
  return { [MEMBER]: `${interruptId}/${index}` };
}

/** Whether a value contains something that looks like a marker. */
export function hasMarkers(value: unknown): boolean {
  return markersIn(value).size > 0;
}

/** The interrupts whose secrets a value contains as markers. */
export function markersIn(value: unknown): Set<string> {
  const found = new Set<string>();
  // A set visits each part once, so a cyclic value does not loop for ever.
  const queue = new Set<unknown>([value]);
  for (const part of queue) {
    if (typeof part !== 'object' || part === null) continue;
    const name = isRecord(part) ? ownMember(part, MEMBER) : undefined;
    if (name === undefined) for (const member of Object.values(part)) queue.add(member);
    else found.add(interruptIdOf(name));
  }
  return found;
}

/** A copy of a value with its markers replaced by the secrets; the same value if it has none. */
export function openMarkers(value: unknown, secrets: ReadonlyMap<string, readonly JsonValue[]>): unknown {
  if (secrets.size === 0 || !hasMarkers(value)) return value;
  if (Array.isArray(value)) return value.map((item) => openMarkers(item, secrets));
  if (!isRecord(value)) return value;
  const name = ownMember(value, MEMBER);
  if (typeof name === 'string') {
    return secrets.get(interruptIdOf(name))?.[Number(name.slice(name.lastIndexOf('/') + 1))] ?? null;
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, openMarkers(part, secrets)]));
}

function interruptIdOf(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, Math.max(0, name.lastIndexOf('/'))) : '';
}
