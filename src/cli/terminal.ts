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

/** Text of an agent as text: whatever would steer a terminal is taken out, but for new lines. */
export function plain(text: string): string {
  return text.replaceAll(/(?!\n)\p{Cc}/gu, '');
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
