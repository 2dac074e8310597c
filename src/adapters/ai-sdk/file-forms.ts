import { defined } from '../../core/index.ts';
import type { Media } from '../to-media.ts';
import type { ProviderTextPart } from './provider-prompt.ts';

/** How a specification writes a file in a user message and in a tool result. */
interface FileForm<FilePart, ResultPart> {
  filePart(media: Media): FilePart;
  resultPart(media: Media): ResultPart;
}

/** The file form of a model, and the provider whose file handles it accepts. */
export interface PromptForm<FilePart, ResultPart> {
  readonly files: FileForm<FilePart, ResultPart>;
  readonly vendor: string;
}

/** A file in a message of V2 and V3: bytes are a string, an address is a URL. */
export interface FilePartV2 {
  type: 'file';
  mediaType: string;
  filename?: string;
  data: string | URL;
  originalUrl?: string;
}

/** A file of V4, in a message or a result; its data has a type. */
export interface FilePartV4 {
  type: 'file';
  mediaType: string;
  filename?: string;
  data: FileDataV4;
}

type FileDataV4 =
  | { type: 'data'; data: string }
  | { type: 'url'; url: URL; originalUrl?: string }
  | { type: 'reference'; reference: Record<string, string> & { type?: never } };

/** A file in a tool result of V2. */
export type ResultPartV2 = ProviderTextPart | { type: 'media'; data: string; mediaType: string };

/** A file in a tool result of V3: images have their own types. */
export type ResultPartV3 =
  | { type: 'file-data' | 'image-data'; data: string; mediaType: string }
  | { type: 'file-url' | 'image-url'; url: string }
  | { type: 'file-id' | 'image-file-id'; fileId: string };

/** A file in a tool result of V4. */
export type ResultPartV4 = FilePartV4;

/** How V2 writes files. */
export const FILES_V2: FileForm<FilePartV2, ResultPartV2> = {
  filePart: plainFile,
  resultPart({ mediaType, content }) {
    switch (content.type) {
      case 'data':
        return { type: 'media', data: content.data, mediaType };
      // V2 only takes bytes here, so the URL is written as text.
      case 'url':
        return { type: 'text', text: content.originalUrl ?? content.url.href };
      case 'handle':
        return { type: 'text', text: content.handle };
    }
  },
};

/** How V3 writes files. */
export const FILES_V3: FileForm<FilePartV2, ResultPartV3> = {
  filePart: plainFile,
  resultPart({ mediaType, content }) {
    const isImage = mediaType.startsWith('image/');
    switch (content.type) {
      case 'data':
        return { type: isImage ? 'image-data' : 'file-data', data: content.data, mediaType };
      case 'url':
        return { type: isImage ? 'image-url' : 'file-url', url: content.originalUrl ?? content.url.href };
      case 'handle':
        return { type: isImage ? 'image-file-id' : 'file-id', fileId: content.handle };
    }
  },
};

/** How V4 writes files. */
export const FILES_V4: FileForm<FilePartV4, ResultPartV4> = { filePart: taggedFile, resultPart: taggedFile };

function plainFile({ mediaType, filename, content }: Media): FilePartV2 {
  const about = { type: 'file', mediaType, ...defined({ filename }) } as const;
  switch (content.type) {
    case 'data':
      return { ...about, data: content.data };
    case 'url': {
      const { url, originalUrl } = content;
      return { ...about, data: url, ...defined({ originalUrl }) };
    }
    // V2 and V3 have no field for a handle; providers tell a handle from base64 by its prefix.
    case 'handle':
      return { ...about, data: content.handle };
  }
}

function taggedFile({ mediaType, filename, content }: Media): FilePartV4 {
  return {
    type: 'file',
    mediaType,
    ...defined({ filename }),
    data: taggedData(content),
  };
}

function taggedData(content: Media['content']): FileDataV4 {
  switch (content.type) {
    case 'data':
      return { type: 'data', data: content.data };
    case 'url': {
      const { url, originalUrl } = content;
      return { type: 'url', url, ...defined({ originalUrl }) };
    }
    case 'handle':
      return { type: 'reference', reference: { [content.vendor]: content.handle } };
  }
}
