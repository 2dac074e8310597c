import type { ParseArgsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { HoldpointError } from '../core/index.ts';
import type { Terminal } from './terminal.ts';

export type Flags = NonNullable<ParseArgsConfig['options']>;

/** The parsed arguments of a command, and its terminal. */
export interface Call {
  /** The arguments that are not flags. */
  readonly words: readonly string[];
  /** The value of a string flag. */
  readonly flag: (name: string) => string | undefined;
  /** Whether a boolean flag is set. */
  readonly has: (name: string) => boolean;
  readonly terminal: Terminal;
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** A command of `holdpoint`. */
export interface Command {
  /** The command line without `holdpoint`, for the help. */
  readonly usage: string;
  readonly summary: string;
  /** The flags with their help texts, in the order of the help. */
  readonly flags: Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly help: string }>>;
  /** Resolves with the exit code. */
  readonly run: (call: Call) => Promise<number>;
}

/** Parses the arguments of a command. Throws `INPUT_INVALID` for an unknown flag or a missing value. */
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

/** The value of a flag as a whole number. Throws `INPUT_INVALID`. */
export function numberFlag(call: Call, name: string): number | undefined {
  const text = call.flag(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new HoldpointError('INPUT_INVALID', `--${name} must be a whole number, not ${text}.`);
  }
  return value;
}
