/** legacy: `{content, finishReason, isComplete}` chunks and `[DONE]`, read only. */
export { decodeEvent, endLegacyStream, isLegacyChunk, LEGACY_DONE } from './decode-event.ts';
