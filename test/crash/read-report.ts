import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface ReportLine {
  /** Its place in the report. */
  readonly at: number;
  /** How many replacements of the database were over when the action began that the line tells of. */
  readonly since: number;
  readonly what: string;
  readonly rest: string;
}

export interface Report {
  /** Reads on, and gives the lines that were not read before. */
  readNew(): readonly ReportLine[];
  /** The place behind the last line that was read. */
  readonly end: number;
  /** Lines of one kind that no replacement rolled back. */
  linesOf(what: string): readonly ReportLine[];
  /** Says that the database was replaced: of what was reported before, it has the lines before `through`. */
  replaced(through: number): void;
  readonly replacements: number;
}

/** Reads what the processes of a campaign report into one file. */
export function openReport(path: string): Report {
  const byKind = new Map<string, ReportLine[]>();
  const rolledBackTo: number[] = [];
  let end = 0;
  let bytesRead = 0;
  /**
   * The whole lines that were added since the last call. Reads only what is new: a short part of a text keeps all of it in
   * memory, so lines cut from the whole file, read again and again, fill the heap.
   */
  const newLines = (): string[] => {
    const file = openSync(path, 'a+');
    const added = Buffer.alloc(fstatSync(file).size - bytesRead);
    readSync(file, added, 0, added.length, bytesRead);
    closeSync(file);
    const whole = added.subarray(0, added.lastIndexOf('\n') + 1);
    bytesRead += whole.length;
    return whole.toString().split('\n').slice(0, -1);
  };
  const read = (line: string, at: number): ReportLine => {
    const [since = '', what = '', ...rest] = line.split(' ');
    return { at, since: Number(since), what, rest: rest.join(' ') };
  };
  return {
    readNew() {
      const fresh = newLines().map((line, index) => read(line, end + index));
      end += fresh.length;
      for (const line of fresh) {
        const known = byKind.get(line.what);
        if (known === undefined) byKind.set(line.what, [line]);
        else known.push(line);
      }
      return fresh;
    },
    get end() {
      return end;
    },
    linesOf: (what) =>
      (byKind.get(what) ?? []).filter(({ at, since }) =>
        rolledBackTo.slice(since).every((through) => at < through),
      ),
    replaced: (through) => void rolledBackTo.push(through),
    get replacements() {
      return rolledBackTo.length;
    },
  };
}
