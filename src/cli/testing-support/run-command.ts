import { runCli } from '../run-cli.ts';

/** What a command said, and how it ended. */
export interface Said {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

/** A command that is still at work. */
export interface Running {
  /** What it has written to its output so far. */
  readonly out: () => string;
  readonly ended: Promise<Said>;
  /** As Ctrl+C does. */
  stop(): Promise<Said>;
}

/** Runs a command to its end, where nobody looks on. */
export function run(...given: string[]): Promise<Said> {
  return start(given).ended;
}

/** Starts a command; on a terminal where `isTty` says so, and with `errIsTty` alone, `> file`. */
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
