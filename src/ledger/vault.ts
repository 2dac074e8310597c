import type { JsonObject, JsonValue } from '../core/index.ts';
import { canonicalJson, HoldpointError, isRecord, ownMember, parseJson, toHex } from '../core/index.ts';
import type { RowKey } from '../store/index.ts';

/** Secrets as they are kept. */
export interface Sealed extends JsonObject {
  readonly keyId: string;
  readonly iv: string;
  readonly data: string;
}

/** Keeps what only the tool that asked may see, under the key of the host. */
export interface Vault {
  /** Tells keys apart without giving one away. */
  readonly keyId: string;
  /** The same value, in an answer to the same question, gives the same; without the key it says nothing of the value. */
  fingerprint(interruptId: string, value: unknown): Promise<string>;
  /** Encrypts secrets for one place: a row that was copied to another cannot be opened there. */
  seal(place: RowKey, secrets: readonly unknown[]): Promise<Sealed>;
  /** Throws `INPUT_INVALID` for what was sealed under another key, or changed since. */
  open(place: RowKey, sealed: JsonObject): Promise<readonly JsonValue[]>;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;

/** A vault under a key of 32 random bytes, in base64. Throws `INPUT_INVALID` for any other. */
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
        // Sealed above, as a list of JSON values.
        return parseJson(new TextDecoder().decode(opened)) as readonly JsonValue[];
      } catch (cause) {
        throw wrongKey(place.id, cause);
      }
    },
  };
}

/** A question asks for a secret, and there is nothing to keep it under. */
export function noKey(interruptId: string): HoldpointError {
  return new HoldpointError(
    'INPUT_INVALID',
    `The question ${interruptId} asks for a secret, which is kept only encrypted: give a secretKey (32 random bytes in base64).`,
  );
}

/** The secrets of a question were kept under a key that is not this host's. */
export function wrongKey(interruptId: string, cause?: unknown): HoldpointError {
  const sentence = `The secrets of ${interruptId} were sealed with another secretKey: start with that one.`;
  return new HoldpointError('INPUT_INVALID', sentence, { cause });
}

function readKey(secretKey: string): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array();
  try {
    bytes = fromBase64(secretKey);
  } catch {
    // What is no base64 has no bytes.
  }
  if (bytes.length === KEY_BYTES) return bytes;
  throw new HoldpointError('INPUT_INVALID', 'The secretKey has to be 32 random bytes in base64.');
}

function deriveKey(
  master: CryptoKey,
  purpose: string,
  type: { readonly name: string; readonly length: number; readonly hash?: string },
): Promise<CryptoKey> {
  const uses: KeyUsage[] = type.name === 'HMAC' ? ['sign'] : ['encrypt', 'decrypt'];
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

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

const MEMBER = '$secret';

/** What stands for a secret wherever an answer is kept: the question it answers, and which of its secrets it is. */
export function secretMarker(interruptId: string, index: number): { readonly [MEMBER]: string } {
  return { [MEMBER]: `${interruptId}/${index}` };
}

/** Whether a value has something in it that could be taken for a marker. */
export function hasMarkers(value: unknown): boolean {
  return markersIn(value).size > 0;
}

/** The questions whose secrets a value stands for. */
export function markersIn(value: unknown): Set<string> {
  const found = new Set<string>();
  // A set, which holds each part once: what goes round is refused elsewhere, and must not go on for ever here.
  const queue = new Set<unknown>([value]);
  for (const part of queue) {
    if (typeof part !== 'object' || part === null) continue;
    const name = isRecord(part) ? ownMember(part, MEMBER) : undefined;
    if (name === undefined) for (const member of Object.values(part)) queue.add(member);
    else found.add(questionOf(name));
  }
  return found;
}

/** A copy of a value with the secrets in place of their markers; the very value when it has none. */
export function openMarkers(value: unknown, secrets: ReadonlyMap<string, readonly JsonValue[]>): unknown {
  if (secrets.size === 0 || !hasMarkers(value)) return value;
  if (Array.isArray(value)) return value.map((item) => openMarkers(item, secrets));
  if (!isRecord(value)) return value;
  const name = ownMember(value, MEMBER);
  if (typeof name === 'string') {
    return secrets.get(questionOf(name))?.[Number(name.slice(name.lastIndexOf('/') + 1))] ?? null;
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, openMarkers(part, secrets)]));
}

function questionOf(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, Math.max(0, name.lastIndexOf('/'))) : '';
}
