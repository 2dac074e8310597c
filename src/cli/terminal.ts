/** What a command writes to and reads from; tests give their own. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether a person reads `out`, in colours. */
  readonly isTty: boolean;
  /** Whether a person reads `err`: `out` may go to a file meanwhile. */
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

/** Colours on a terminal, and nothing elsewhere. */
export function paint(terminal: Terminal, colour: keyof typeof CODES, text: string): string {
  return terminal.isTty ? `\u001B[${CODES[colour]}m${text}\u001B[0m` : text;
}

/**
 * C0 and C1 with ESC, marks that change the direction of text, other ends of lines, and half characters; not tab and new line.
 */
const CONTROL =
  '(?![\\n\\t])[\\p{Cc}\\p{Cs}\\u061C\\u200E\\u200F\\u2028\\u2029\\u202A-\\u202E\\u2066-\\u2069]';
const CONTROLS = new RegExp(CONTROL, 'gu');

/** What this command itself writes to steer a terminal, and the end of a line of CSV. */
const OWN = `\\u001B\\[(?:0|${Object.values(CODES).join('|')})m|\\r\\u001B\\[K|\\r\\n`;
const OWN_OR_CONTROL = new RegExp(`${OWN}|${CONTROL}`, 'gu');

/** Text of an agent: control characters are shown as `\u001b`, so that they do not steer a terminal. New lines stay. */
export function plain(text: string): string {
  return text.replaceAll(CONTROLS, escaped);
}

/** As {@link plain}, on one line: text of an agent cannot look like a line of ours. */
export function plainLine(text: string): string {
  return plain(text.replaceAll('\n', '\\u000a'));
}

/**
 * A terminal that escapes control characters in whatever is written to it, but for colours and progress of this command. In JSON
 * the escapes mean the same.
 */
export function guarded(terminal: Terminal): Terminal {
  const guard = (text: string) =>
    text.replaceAll(OWN_OR_CONTROL, (found) => (found.length > 1 ? found : escaped(found)));
  return { ...terminal, out: (text) => terminal.out(guard(text)), err: (text) => terminal.err(guard(text)) };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A line on `err` that shows how far long work is; on a terminal it is written over, elsewhere not at all. */
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
