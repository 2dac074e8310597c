/** Number of arguments per call; engines allow some ten thousand. */
const CHUNK = 8192;

/** Bytes as base64, in any runtime. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}
