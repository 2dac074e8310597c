import type { ParseArgsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { HoldpointError } from '../core/index.ts';
import type { Terminal } from './terminal.ts';

export type Flags = NonNullable<ParseArgsConfig['options']>;

/** What a command was called with. */
export interface Call {
  readonly words: readonly string[];
  readonly flag: (name: string) => string | undefined;
  readonly has: (name: string) => boolean;
  readonly terminal: Terminal;
  /** Fires when the person wants to stop. */
  readonly signal: AbortSignal;
}

/** A command of the terminal. */
export interface Command {
  readonly usage: string;
  readonly summary: string;
  /** What each flag is for, in the order of the help. */
  readonly flags: Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly help: string }>>;
  /** Resolves with the exit code. */
  readonly run: (call: Call) => Promise<number>;
}

/** Reads a command's own flags. Throws `INPUT_INVALID` with what was not understood. */
export function readCall(
  command: Command,
  given: readonly string[],
  rest: Pick<Call, 'terminal' | 'signal'>,
): Call {
  const options: Flags = Object.fromEntries(
    Object.entries(command.flags).map(([name, { type }]) => [name, { type }]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...given], options, allowPositionals: true });
    return {
      words: positionals,
      flag: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
      has: (name) => values[name] === true,
      ...rest,
    };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('.')[0] ?? '') : '';
    throw new HoldpointError(
      'INPUT_INVALID',
      `${message}. See \`holdpoint ${command.usage.split(' ')[0]} --help\`.`,
    );
  }
}

/** A flag that is a whole number. */
export function numberFlag(call: Call, name: string): number | undefined {
  const text = call.flag(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new HoldpointError('INPUT_INVALID', `--${name} is a whole number, not ${text}.`);
  }
  return value;
}
