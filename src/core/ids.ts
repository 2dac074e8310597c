import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';

/** Creates an id; passed in wherever ids are needed. */
export type IdGenerator = () => string;

/** Fills the bytes with random values. */
export type RandomSource = (bytes: Uint8Array) => Uint8Array;

/**
 * UUIDv7 (RFC 9562 §5.7), increasing within one generator: the 12 bits after the time count up
 * inside a millisecond, and a clock that steps back does not make ids step back.
 */
export function createIds(clock: Clock = systemClock, random: RandomSource = pooledRandom()): IdGenerator {
  const bytes = new Uint8Array(16);
  let lastTime = -1;
  let counter = 0;
  return () => {
    random(bytes);
    const time = clock.now();
    if (time > lastTime) {
      lastTime = time;
      counter = (byteAt(bytes, 6) & 0x07) * 256 + byteAt(bytes, 7);
    } else {
      counter += 1;
      if (counter > 0xfff) {
        counter = 0;
        lastTime += 1;
      }
    }
    writeTime(bytes, lastTime);
    bytes[6] = 0x70 | (counter >> 8);
    bytes[7] = counter & 0xff;
    bytes[8] = 0x80 | (byteAt(bytes, 8) & 0x3f);
    return format(bytes);
  };
}

/** Random bytes cost less in larger pieces. */
function pooledRandom(): RandomSource {
  const pool = new Uint8Array(4096);
  let at = pool.length;
  return (bytes) => {
    if (at + bytes.length > pool.length) {
      crypto.getRandomValues(pool);
      at = 0;
    }
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = byteAt(pool, at + index);
    at += bytes.length;
    return bytes;
  };
}

/** The process-wide generator, the default of callers. */
export const newId: IdGenerator = /* @__PURE__ */ createIds();

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

function writeTime(bytes: Uint8Array, time: number): void {
  let rest = time;
  for (let index = 5; index >= 0; index -= 1) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

function format(bytes: Uint8Array): string {
  const text = toHex(bytes);
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes in hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}
