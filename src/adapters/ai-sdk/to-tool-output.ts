import { jsonOrText } from '../../core/index.ts';
import type { ContentPart, Message } from '../../protocol/index.ts';
import type { PromptForm } from './file-forms.ts';
import type { ProviderJson, ProviderTextPart, ProviderToolOutput } from './provider-prompt.ts';
import { toMedia } from '../to-media.ts';

/** The output of a tool; an object or array that was written as text becomes JSON again. */
export function toToolOutput<FilePart, ResultPart>(
  { content, error }: Extract<Message, { role: 'tool' }>,
  { files, vendor }: PromptForm<FilePart, ResultPart>,
): ProviderToolOutput<ResultPart> {
  if (error !== undefined) {
    // Most tools fail with the same sentence in both; a different partial result is kept.
    const partial = textOf(content);
    const value = partial === '' || partial === error ? error : `${error}\n\n${partial}`;
    return { type: 'error-text', value };
  }
  if (typeof content === 'string') {
    const value = jsonOf(content);
    return value === undefined ? { type: 'text', value: content } : { type: 'json', value };
  }
  const value = content.flatMap((part): (ProviderTextPart | ResultPart)[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    const media = toMedia(part, vendor);
    return media === undefined ? [] : [files.resultPart(media)];
  });
  return { type: 'content', value };
}

function textOf(content: string | ContentPart[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Text that looks like a number or a word stays text. */
function jsonOf(text: string): ProviderJson | undefined {
  const value = /^\s*[{[]/.test(text) ? jsonOrText(text) : text;
  // Parsed JSON text is JSON.
  return typeof value === 'string' ? undefined : (value as ProviderJson);
}
