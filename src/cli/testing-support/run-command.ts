import { runCli } from '../run-cli.ts';

/** The output and exit code of a command. */
export interface Result {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

/** A running command. */
export interface Running {
  /** The output so far. */
  readonly out: () => string;
  readonly ended: Promise<Result>;
  /** Stops the command as Ctrl+C does. */
  stop(): Promise<Result>;
}

/** Runs a command to its end, without a terminal. */
export function run(...given: string[]): Promise<Result> {
  return start(given).ended;
}

/** Starts a command. `isTty`: on a terminal; `errIsTty` alone: with `> file`. Default: no terminal. */
export function start(
  given: readonly string[],
  on: { readonly isTty?: boolean; readonly errIsTty?: boolean } = {},
): Running {
  const { isTty = false, errIsTty = isTty } = on;
  const abort = new AbortController();
  let out = '';
  let err = '';
  const terminal = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    isTty,
    errIsTty,
    columns: 80,
  };
  const ended = runCli(given, { terminal, signal: abort.signal }).then((code) => ({ out, err, code }));
  return {
    out: () => out,
    ended,
    stop() {
      abort.abort();
      return ended;
    },
  };
}
