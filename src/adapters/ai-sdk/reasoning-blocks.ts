import { isRecord, ownMember, parseJson } from '../../core/index.ts';
import type { ProviderMetadata } from './provider-model.ts';
import type { ProviderReasoningPart } from './provider-prompt.ts';
import { isProviderOptions } from './provider-prompt.ts';

/** The reasoning blocks of one turn, each with its provider's metadata. */
interface ReasoningBlocks {
  add(block: { id: string; delta?: string; providerMetadata?: ProviderMetadata | undefined }): void;
  /** The `encryptedValue` of all blocks; undefined when no block has metadata. */
  encode(): string | undefined;
}

interface Block {
  readonly id: string;
  length: number;
  metadata: ProviderMetadata | undefined;
}

/**
 * Collects reasoning blocks. The reasoning of a turn is one message, and a signature covers the text of one block:
 * the length of each block is stored with its metadata, and {@link reasoningParts} splits the text again.
 */
export function createReasoningBlocks(): ReasoningBlocks {
  const blocks: Block[] = [];
  return {
    add({ id, delta = '', providerMetadata }) {
      // Text continues the last block; metadata of a block may arrive when another block is already open.
      let block = delta === '' ? blocks.findLast((earlier) => earlier.id === id) : blocks.at(-1);
      if (block?.id !== id) {
        block = { id, length: 0, metadata: undefined };
        blocks.push(block);
      }
      block.length += delta.length;
      if (providerMetadata !== undefined) block.metadata = merge(block.metadata, providerMetadata);
    },
    encode() {
      if (blocks.every(({ metadata }) => metadata === undefined)) return undefined;
      return JSON.stringify(blocks.map(({ length, metadata }) => ({ length, metadata })));
    },
  };
}

/** The reasoning of a message in the blocks of its provider; one plain part when another program wrote it. */
export function reasoningParts(text: string, encryptedValue: string | undefined): ProviderReasoningPart[] {
  const blocks = encryptedValue === undefined ? undefined : decode(encryptedValue);
  const total = blocks?.reduce((sum, { length }) => sum + length, 0);
  if (blocks === undefined || total !== text.length) return text === '' ? [] : [{ type: 'reasoning', text }];
  let start = 0;
  return blocks.flatMap(({ length, metadata }): ProviderReasoningPart[] => {
    const piece = text.slice(start, start + length);
    start += length;
    if (isProviderOptions(metadata)) return [{ type: 'reasoning', text: piece, providerOptions: metadata }];
    return piece === '' ? [] : [{ type: 'reasoning', text: piece }];
  });
}

function decode(
  encryptedValue: string,
): { readonly length: number; readonly metadata: unknown }[] | undefined {
  let value: unknown;
  try {
    value = parseJson(encryptedValue);
  } catch {
    // A value of another writer, which need not be JSON.
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const blocks = value.flatMap((item: unknown) => {
    const length = isRecord(item) ? ownMember(item, 'length') : undefined;
    if (!isRecord(item) || typeof length !== 'number' || !(length >= 0)) return [];
    return [{ length, metadata: ownMember(item, 'metadata') }];
  });
  return blocks.length === value.length ? blocks : undefined;
}

/** A provider may send metadata of a block at its start and at its end. */
function merge(earlier: ProviderMetadata | undefined, later: ProviderMetadata): ProviderMetadata {
  const merged: Record<string, unknown> = { ...earlier };
  for (const [provider, said] of Object.entries(later)) {
    const before = merged[provider];
    merged[provider] = isRecord(before) && isRecord(said) ? { ...before, ...said } : said;
  }
  return merged;
}
