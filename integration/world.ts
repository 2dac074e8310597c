/** What the agents of every framework share: a world that remembers each payment, and the script of their mock models. */
import { appendFileSync } from 'node:fs';

export interface World {
  /** Starts a payment and pays, with a line for each. Declines amounts of 900 and more. */
  pay(amount: number): Promise<string>;
}

/** Amounts from here on are declined: the payment starts, and throws. */
export const DECLINED_FROM = 900;

/** `onPaid` is called after each payment; the payment does not end before it resolves. */
export function openWorld(file: string, onPaid?: (amount: number) => Promise<void>): World {
  return {
    async pay(amount) {
      appendFileSync(file, `started ${amount}\n`);
      if (amount >= DECLINED_FROM) throw new Error(`The payment of ${amount} was declined.`);
      appendFileSync(file, `paid ${amount}\n`);
      await onPaid?.(amount);
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
 * `sign up` calls `askEmail`, `look` says whether the message has the picture, `recall` repeats every tool result of the
 * conversation; after tool results it repeats them. `results`: all tool results of the conversation; those after the last message
 * of the user are `resultsSince`.
 */
export function nextTurn(
  lastUserContent: unknown,
  resultsSince: readonly string[],
  results: readonly string[] = resultsSince,
): Turn {
  if (resultsSince.length > 0) return { text: `Results: ${resultsSince.join('; ')}` };
  const text = textIn(lastUserContent);
  if (text.startsWith('sign up')) return { calls: [{ name: 'askEmail', args: {} }] };
  if (text.startsWith('recall')) return { text: `I recall: ${results.join('; ')}` };
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
