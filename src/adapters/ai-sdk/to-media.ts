import { HoldpointError, isRecord, ownMember } from '../../core/index.ts';
import type { ContentPart } from '../../protocol/index.ts';

/** A file for a model, in no specification's words yet. */
export interface Media {
  readonly mediaType: string;
  readonly filename: string | undefined;
  readonly content:
    | { readonly type: 'data'; readonly data: string }
    | { readonly type: 'url'; readonly url: URL; readonly originalUrl: string | undefined }
    /** Bytes that the provider already has. */
    | { readonly type: 'handle'; readonly handle: string; readonly vendor: string };
}

type MediaPart = Exclude<ContentPart, { type: 'text' }>;

/** For a source that does not say what it is. */
const MEDIA_TYPES: Readonly<Record<MediaPart['type'], string>> = {
  image: 'image/*',
  audio: 'audio/*',
  video: 'video/*',
  document: 'application/octet-stream',
};

/**
 * What a part holds; undefined for a handle that another provider issued, which AG-UI says to drop.
 * Throws `INPUT_INVALID` for a URL that is none.
 */
export function toMedia(part: MediaPart, vendor: string): Media | undefined {
  const { source } = part;
  const filename = isRecord(part.metadata) ? ownMember(part.metadata, 'filename') : undefined;
  const about = {
    mediaType: source.mimeType ?? MEDIA_TYPES[part.type],
    filename: typeof filename === 'string' ? filename : undefined,
  };
  switch (source.type) {
    case 'data':
      return { ...about, content: { type: 'data', data: source.value } };
    case 'file':
      if (source.provider !== undefined && source.provider !== vendor) return undefined;
      return { ...about, content: { type: 'handle', handle: source.value, vendor } };
    case 'url': {
      const inline = readDataUrl(source.value);
      if (inline !== undefined) {
        const mediaType = source.mimeType ?? (inline.mediaType === '' ? about.mediaType : inline.mediaType);
        return { ...about, mediaType, content: { type: 'data', data: inline.data } };
      }
      const url = parseUrl(source.value);
      // A URI that is no web address must reach the provider as it was written.
      const originalUrl = url.href === source.value ? undefined : source.value;
      return { ...about, content: { type: 'url', url, originalUrl } };
    }
  }
}

/** Few providers read `data:` URLs, and all read base64. */
function readDataUrl(text: string): { readonly mediaType: string; readonly data: string } | undefined {
  const comma = text.indexOf(',');
  const header = text.slice(0, Math.max(comma, 0)).toLowerCase();
  if (!header.startsWith('data:') || !header.endsWith(';base64')) return undefined;
  return { mediaType: header.slice('data:'.length).split(';')[0] ?? '', data: text.slice(comma + 1) };
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (cause) {
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    throw new HoldpointError('INPUT_INVALID', `A message refers to ${shown}, which is not a URL.`, { cause });
  }
}
