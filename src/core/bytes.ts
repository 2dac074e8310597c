/** The bytes of a file: `Uint8Array<ArrayBuffer>` if TypeScript knows that type (5.7 and newer), else `Uint8Array`. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>;

/** Number of arguments per call; engines allow some ten thousand. */
const CHUNK = 0x2000;

/** Bytes as base64, in any runtime. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += CHUNK)
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  return btoa(text);
}

/** The bytes of a base64 text. Throws a `DOMException` for other text. */
export function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
