import type { JsonObject, JsonValue } from '../core/index.ts';
import { digestJson, digestText, isRecord, toHex } from '../core/index.ts';

/** The end of a chain: the number of its entries and the hash of the last one. */
export interface ChainHead {
  readonly count: number;
  readonly hash: string;
}

/** An entry of a chain. */
export interface SealedEntry extends JsonObject {
  readonly previous: string;
  readonly hash: string;
}

/** The hash before the first entry. */
export const CHAIN_START = '';

/**
 * The members of an entry that erasure removes: they may name a person or hold an answer. The id of a grant is a digest of a
 * person and arguments, which could be guessed.
 */
const ERASABLE = ['by', 'payload', 'reason', 'grant'] as const;

/** The members that the hash of an entry does not cover, because erasure removes or adds them. */
const OUTSIDE: ReadonlySet<string> = new Set([...ERASABLE, 'salt', 'erased', 'hash']);

/**
 * Seals an entry into a chain. The hash covers the entry with a salted digest (`seal`) in place of its erasable members, so
 * these members and the salt can be erased, and the chain still verifies. `shown`: what rows say, by names; the entry keeps a digest
 * of each with the same salt, and not the values.
 */
export function sealEntry(
  facts: JsonObject,
  previous: string,
  shown: Readonly<Record<string, unknown>> = {},
): SealedEntry {
  const erasable = erasableOf(facts);
  const names = Object.keys(shown);
  const isSalted = names.length + Object.keys(erasable).length > 0;
  const salt = isSalted ? toHex(crypto.getRandomValues(new Uint8Array(16))) : '';
  const digests = Object.fromEntries(names.map((name) => [name, saltedDigest(salt, name, shown[name])]));
  const entry = {
    ...facts,
    ...(names.length === 0 ? {} : { digests }),
    ...(isSalted ? { salt, seal: digestJson([salt, erasable]) } : {}),
    previous,
  };
  return { ...entry, hash: hashOf(entry) };
}

/** The digest of a named value, which cannot be guessed without the salt. An absent value counts as null. */
export function saltedDigest(salt: string, name: string, value: unknown): string {
  // The text that is stored, without sorting: members keep their order in every store.
  return digestText(`${salt} ${name} ${JSON.stringify(value ?? null)}`);
}

/** An entry without its erasable members and its salt; unchanged if it has none. */
export function eraseEntry(entry: JsonObject): JsonObject {
  if (entry['salt'] === undefined && Object.keys(erasableOf(entry)).length === 0) return entry;
  const kept = Object.entries(entry).filter(
    ([name]) => name !== 'salt' && !ERASABLE.some((erased) => erased === name),
  );
  return { ...Object.fromEntries(kept), erased: true };
}

/** The position of the first entry that was changed, removed or moved; undefined for an intact chain. */
export function findBrokenEntry(entries: readonly JsonObject[], head: ChainHead): number | undefined {
  let previous = CHAIN_START;
  for (const [index, entry] of entries.entries()) {
    if (entry['previous'] !== previous || !isIntactEntry(entry)) return index;
    previous = typeof entry['hash'] === 'string' ? entry['hash'] : '';
  }
  return entries.length === head.count && previous === head.hash ? undefined : entries.length;
}

/**
 * Seals the chain of an earlier schema anew. Entries from the first changed one on stay as they are, so a broken chain stays
 * broken at the same place.
 */
export function sealAnew(
  entries: readonly JsonObject[],
  head: ChainHead,
): { readonly entries: readonly JsonObject[]; readonly head: ChainHead } {
  const sealed: JsonObject[] = [];
  let before = CHAIN_START;
  let previous = CHAIN_START;
  for (const entry of entries) {
    const { hash, previous: claimed, ...facts } = entry;
    if (claimed !== before || digestJson({ ...facts, previous: before }) !== hash) {
      return { entries: [...sealed, ...entries.slice(sealed.length)], head };
    }
    before = hash;
    const next = sealEntry(facts, previous);
    sealed.push(next);
    previous = next.hash;
  }
  const isWhole = entries.length === head.count && before === head.hash;
  return { entries: sealed, head: isWhole ? { count: head.count, hash: previous } : head };
}

/** The document of a thread and its history, sealed anew; undefined for a thread without a chain. */
export function sealThread(
  doc: JsonObject,
  entries: readonly JsonObject[],
): { readonly doc: JsonObject; readonly entries: readonly JsonObject[] } | undefined {
  const { chain } = doc;
  if (!isRecord(chain) || typeof chain['count'] !== 'number' || typeof chain['hash'] !== 'string')
    return undefined;
  const sealed = sealAnew(entries, { count: chain['count'], hash: chain['hash'] });
  return { doc: { ...doc, chain: { ...sealed.head } }, entries: sealed.entries };
}

/** Whether an entry was not changed; `findBrokenEntry` also checks its place. */
export function isIntactEntry(entry: JsonObject): boolean {
  const { seal, salt, erased, hash } = entry;
  if (hashOf(entry) !== hash) return false;
  const erasable = erasableOf(entry);
  const isEmpty = Object.keys(erasable).length === 0 && salt === undefined;
  if (seal === undefined) return isEmpty && erased === undefined;
  if (erased === true) return isEmpty;
  return typeof salt === 'string' && digestJson([salt, erasable]) === seal;
}

function hashOf(entry: JsonObject): string {
  return digestJson(Object.fromEntries(Object.entries(entry).filter(([name]) => !OUTSIDE.has(name))));
}

function erasableOf(entry: JsonObject): JsonObject {
  const found: Record<string, JsonValue> = {};
  for (const name of ERASABLE) {
    const value = entry[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}
