import { HoldpointError, isRecord, ownMember } from '../core/index.ts';
import type { ContentPart } from '../protocol/index.ts';

/** A file for a model, independent of the specification. */
export interface Media {
  readonly mediaType: string;
  readonly filename: string | undefined;
  readonly content:
    | { readonly type: 'data'; readonly data: string }
    | { readonly type: 'url'; readonly url: URL; readonly originalUrl: string | undefined }
    /** A file that the provider already has. */
    | { readonly type: 'handle'; readonly handle: string; readonly vendor: string };
}

type MediaPart = Exclude<ContentPart, { type: 'text' }>;

/** Media types for a source without one. */
const MEDIA_TYPES: Readonly<Record<MediaPart['type'], string>> = {
  image: 'image/*',
  audio: 'audio/*',
  video: 'video/*',
  document: 'application/octet-stream',
};

/**
 * The file of a part; undefined for a handle of another provider, which AG-UI drops. Throws `INPUT_INVALID` for an
 * invalid URL.
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
      // A URI that is not a web address must reach the provider unchanged.
      const originalUrl = url.href === source.value ? undefined : source.value;
      return { ...about, content: { type: 'url', url, originalUrl } };
    }
  }
}

/** Decodes a `data:` URL: few providers read them, and all read base64. */
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
    throw new HoldpointError('INPUT_INVALID', `A message refers to ${shown}, which is not a valid URL.`, {
      cause,
    });
  }
}
