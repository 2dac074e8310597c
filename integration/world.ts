/** What the agents of every framework share: a world that remembers each payment, and the script of their mock models. */
import { appendFileSync } from 'node:fs';

export interface World {
  /** Pays, and leaves a line. */
  pay(amount: number): string;
}

export function openWorld(file: string): World {
  return {
    pay(amount) {
      appendFileSync(file, `paid ${amount}\n`);
      return `paid ${amount}`;
    },
  };
}

/** What a mock model says next. */
export type Turn =
  | { readonly text: string }
  | {
      readonly calls: readonly {
        readonly name: 'pay' | 'askEmail';
        readonly args: Record<string, unknown>;
      }[];
    };

/** An image, in base64. */
export const PICTURE = 'aG9sZHBvaW50';

/**
 * The next turn of a mock model, by the content of the last user message as the model gets it: `pay 1 and 2` calls `pay` twice,
 * `sign up` calls `askEmail`, `look` says whether the message has the picture; after tool results it repeats them.
 */
export function nextTurn(lastUserContent: unknown, resultsSince: readonly string[]): Turn {
  if (resultsSince.length > 0) return { text: `Results: ${resultsSince.join('; ')}` };
  const text = textIn(lastUserContent);
  if (text.startsWith('sign up')) return { calls: [{ name: 'askEmail', args: {} }] };
  if (text.startsWith('look')) {
    const hasPicture = JSON.stringify(lastUserContent).includes(PICTURE);
    return { text: hasPicture ? 'I see the picture.' : 'I see nothing.' };
  }
  const amounts = [...text.matchAll(/\d+/g)].map(([amount]) => Number(amount));
  if (text.startsWith('pay')) return { calls: amounts.map((amount) => ({ name: 'pay', args: { amount } })) };
  return { text: `You said ${text}.` };
}

/** The last text of a content: a string, or parts. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  const texts = content.flatMap((part: { text?: unknown }) =>
    typeof part.text === 'string' ? [part.text] : [],
  );
  return texts.at(-1) ?? '';
}

/** The answer to `askEmail`. */
export const EMAIL_SCHEMA = {
  type: 'object',
  properties: { email: { type: 'string', format: 'email' } },
  required: ['email'],
} as const;
