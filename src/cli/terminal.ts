import { escapeControls } from '../core/index.ts';

/** The output of a command. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether `out` is a terminal with colours. */
  readonly isTty: boolean;
  /** Whether `err` is a terminal; `out` may be a file at the same time. */
  readonly errIsTty: boolean;
  readonly columns: number;
}

export function processTerminal(): Terminal {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    isTty: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
    errIsTty: process.stderr.isTTY,
    columns: process.stdout.columns ?? 80,
  };
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Stands for ESC in the sequences of this command until they are written. It is random, so no text from outside contains it. */
const OWN_ESCAPE = `<${crypto.randomUUID()}>`;
/** Returns to the start of the line and clears it. */
const CLEAR_LINE = `${OWN_ESCAPE}[K`;

/** Adds colour on a terminal; elsewhere returns the text. */
export function paint(terminal: Terminal, colour: keyof typeof CODES, text: string): string {
  return terminal.isTty ? `${OWN_ESCAPE}[${CODES[colour]}m${text}${OWN_ESCAPE}[0m` : text;
}

/** Escapes control characters as `\u001b`, so that the text of an agent cannot steer the terminal. Line feeds stay. */
export const plain = escapeControls;

/** As {@link plain}, on one line, so that the text of an agent cannot look like another line of the output. */
export function plainLine(text: string): string {
  return plain(text.replaceAll('\n', '\\u000a'));
}

/**
 * A terminal that escapes all control characters but those of {@link paint} and {@link progress}, and line ends. In JSON the escape means
 * the same character.
 */
export function guarded(terminal: Terminal): Terminal {
  const guard = (text: string) =>
    escapeControls(text).replaceAll(CLEAR_LINE, '\r\u001B[K').replaceAll(OWN_ESCAPE, '\u001B');
  return { ...terminal, out: (text) => terminal.out(guard(text)), err: (text) => terminal.err(guard(text)) };
}

/** `1 thread`, `2 threads`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Shows progress on one line of `err`, only if `err` is a terminal. */
export function progress(
  terminal: Terminal,
  label: string,
): { set(done: number, total?: number): void; end(): void } {
  let last = 0;
  return {
    set(done, total) {
      const now = Date.now();
      if (!terminal.errIsTty || now - last < 100) return;
      last = now;
      const share =
        total === undefined || total === 0 ? '' : ` of ${total} (${Math.round((done / total) * 100)} %)`;
      terminal.err(`${CLEAR_LINE}${label} ${done}${share}`);
    },
    end() {
      if (terminal.errIsTty) terminal.err(CLEAR_LINE);
    },
  };
}
