import type { Message } from '../../protocol/index.ts';

/** The text of a message, for every form of content. */
export function textOf(message: Message): string {
  const content: unknown = message.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
        ? part.text
        : '',
    )
    .join('');
}

/** The suggestions in a text: its lines that start with "- ". */
export function offersIn(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) =>
      line
        .slice(2)
        .trim()
        .replaceAll(/^[`*"“”]+|[`*"“”]+$/g, ''),
    )
    .filter((line) => line !== '' && line.length <= 80);
}
