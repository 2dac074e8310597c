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

/** Adds colour on a terminal; elsewhere returns the text. */
export function paint(terminal: Terminal, colour: keyof typeof CODES, text: string): string {
  return terminal.isTty ? `\u001B[${CODES[colour]}m${text}\u001B[0m` : text;
}

/** Control characters C0 and C1, marks of text direction, Unicode line separators and lone surrogates; not tab and line feed. */
const CONTROL =
  '(?![\\n\\t])[\\p{Cc}\\p{Cs}\\u061C\\u200E\\u200F\\u2028\\u2029\\u202A-\\u202E\\u2066-\\u2069]';
const CONTROLS = new RegExp(CONTROL, 'gu');

/** The sequences that this command writes itself: colours, clearing a line, and the CRLF of CSV. */
const OWN = `\\u001B\\[(?:0|${Object.values(CODES).join('|')})m|\\r\\u001B\\[K|\\r\\n`;
const OWN_OR_CONTROL = new RegExp(`${OWN}|${CONTROL}`, 'gu');

/** Escapes control characters as `\u001b`, so that the text of an agent cannot steer the terminal. Line feeds stay. */
export function plain(text: string): string {
  return text.replaceAll(CONTROLS, escaped);
}

/** As {@link plain}, on one line, so that the text of an agent cannot look like another line of the output. */
export function plainLine(text: string): string {
  return plain(text.replaceAll('\n', '\\u000a'));
}

/** A terminal that escapes all control characters except those of this command. In JSON the escape means the same character. */
export function guarded(terminal: Terminal): Terminal {
  const guard = (text: string) =>
    text.replaceAll(OWN_OR_CONTROL, (found) => (found.length > 1 ? found : escaped(found)));
  return { ...terminal, out: (text) => terminal.out(guard(text)), err: (text) => terminal.err(guard(text)) };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
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
      terminal.err(`\r\u001B[K${label} ${done}${share}`);
    },
    end() {
      if (terminal.errIsTty) terminal.err('\r\u001B[K');
    },
  };
}
