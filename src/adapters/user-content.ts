import { defined, HoldpointError } from '../core/index.ts';
import type { Message } from '../protocol/index.ts';
import type { RunWork } from './emit-run.ts';
import { refuseRun } from './emit-run.ts';
import type { Media } from './to-media.ts';
import { toMedia } from './to-media.ts';

/** How a framework writes the parts of a user's message. */
export interface ContentForm<Part> {
  /** The name of the framework, for errors. */
  readonly framework: string;
  /** The provider whose files the framework takes by id. Default: none. */
  readonly provider?: string;
  readonly text: (text: string) => Part;
  /** The part of a file; undefined for a file that the framework does not take. */
  readonly file: (media: Media) => Part | undefined;
}

/** The content of a user's message: its text, or parts if it has files. */
export type UserContent<Part> = string | readonly Part[];

/** The content of a user's message. Throws `INPUT_INVALID` for a file that the framework does not take. */
export function userContent<Part>(message: Message, form: ContentForm<Part>): UserContent<Part> {
  const { content } = message;
  if (!Array.isArray(content) || content.every(({ type }) => type === 'text')) return textOf(message);
  return content.map((part) => {
    if (part.type === 'text') return form.text(part.text);
    const media = toMedia(part, form.provider ?? '');
    const written = media === undefined ? undefined : form.file(media);
    if (written !== undefined) return written;
    const what =
      part.source.type === 'file'
        ? 'a file by its id at a provider; send its data or a URL'
        : `files of the type ${part.source.mimeType ?? part.type}`;
    throw new HoldpointError('INPUT_INVALID', `${form.framework} does not take ${what}.`);
  });
}

/**
 * The contents of new messages. If the framework does not take one of them, ends the run with the reason before it hands over
 * anything, and calls `skip`, so that later runs leave these messages out.
 */
export async function takeContents<Part>(
  run: RunWork,
  messages: readonly Message[],
  { form, skip }: { readonly form: ContentForm<Part>; readonly skip: () => Promise<void> | undefined },
): Promise<readonly UserContent<Part>[] | undefined> {
  try {
    return messages.map((message) => userContent(message, form));
  } catch (error) {
    if (!HoldpointError.is(error, 'INPUT_INVALID')) throw error;
    await skip();
    refuseRun(run, error);
    return undefined;
  }
}

/** The address of a file, or its data as a `data:` URL; undefined for a file that only its provider has. */
export function mediaUrl({ mediaType, content }: Media): string | undefined {
  if (content.type === 'data') return `data:${mediaType};base64,${content.data}`;
  return content.type === 'url' ? (content.originalUrl ?? content.url.href) : undefined;
}

/** The form of `ModelMessage`, which the AI SDK and Mastra take. */
export function fileForm(framework: string): ContentForm<object> {
  return {
    framework,
    text: (text) => ({ type: 'text', text }),
    file(media) {
      const { mediaType, filename } = media;
      const data = mediaUrl(media);
      return data === undefined ? undefined : { type: 'file', data, mediaType, ...defined({ filename }) };
    },
  };
}

/** The user's messages after the last one that the framework has seen; all of them when it has seen none. */
export function freshMessages(
  messages: readonly Message[],
  isSeen: (messageId: string) => boolean,
): readonly Message[] {
  const last = messages.findLastIndex(({ id }) => isSeen(id));
  return messages.slice(last + 1).filter(({ role }) => role === 'user');
}

/** The text of a message, without its files. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
