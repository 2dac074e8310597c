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

/**
 * The next turn of a mock model: `pay 1 and 2` calls `pay` twice, `sign up` calls `askEmail`; after tool results it repeats
 * them.
 */
export function nextTurn(lastUserText: string, resultsSince: readonly string[]): Turn {
  if (resultsSince.length > 0) return { text: `Results: ${resultsSince.join('; ')}` };
  if (lastUserText.startsWith('sign up')) return { calls: [{ name: 'askEmail', args: {} }] };
  const amounts = [...lastUserText.matchAll(/\d+/g)].map(([amount]) => Number(amount));
  if (lastUserText.startsWith('pay'))
    return { calls: amounts.map((amount) => ({ name: 'pay', args: { amount } })) };
  return { text: `You said ${lastUserText}.` };
}

/** The answer to `askEmail`. */
export const EMAIL_SCHEMA = {
  type: 'object',
  properties: { email: { type: 'string', format: 'email' } },
  required: ['email'],
} as const;
