import { writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Writes an animated PNG that repeats for ever. All frames are PNG files of one size and colour type. */
export function writeAnimation(
  path: string,
  frames: readonly Buffer[],
  { frameMs }: { readonly frameMs: number },
): void {
  const [first, ...rest] = frames.map(chunksOf);
  const header = first?.find(({ type }) => type === 'IHDR');
  if (first === undefined || header === undefined)
    throw new Error('An animation needs at least one PNG frame.');
  let sequence = 0;
  const control = (): Chunk => {
    const data = Buffer.alloc(26);
    data.writeUInt32BE(sequence++, 0);
    header.data.copy(data, 4, 0, 8);
    data.writeUInt16BE(frameMs, 20);
    data.writeUInt16BE(1000, 22);
    return { type: 'fcTL', data };
  };
  const pixels = (chunks: readonly Chunk[]) => chunks.filter(({ type }) => type === 'IDAT');
  const count = Buffer.alloc(8);
  count.writeUInt32BE(frames.length, 0);
  const chunks: Chunk[] = [header, { type: 'acTL', data: count }, control(), ...pixels(first)];
  for (const frame of rest) {
    chunks.push(control());
    for (const { data } of pixels(frame)) {
      const place = Buffer.alloc(4);
      place.writeUInt32BE(sequence++, 0);
      chunks.push({ type: 'fdAT', data: Buffer.concat([place, data]) });
    }
  }
  chunks.push({ type: 'IEND', data: Buffer.alloc(0) });
  writeFileSync(path, Buffer.concat([SIGNATURE, ...chunks.map(bytesOf)]));
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function bytesOf({ type, data }: Chunk): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
