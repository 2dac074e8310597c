/** Walks a seed line by line, and keeps its table in docs/seeds.md. `WRITE_SEEDS=1` writes the table. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = join(root, 'docs/seeds.md');

/** A line of a seed. */
interface Line {
  /** Its number, or several: `15–17`. */
  readonly numbers: string;
  readonly says: string;
  readonly works: boolean;
  /** How it differs from the words of the seed, or why it does not work. */
  readonly note: string;
}

export interface Walk {
  /** A line that this test holds. */
  line(numbers: string, says: string, test: () => Promise<void> | void, note?: string): void;
  /** A line that a test elsewhere holds: its file, and a part of its name. */
  held(numbers: string, says: string, file: string, name: string, note?: string): void;
  /** A line that does not work, and why. */
  not(numbers: string, says: string, why: string): void;
}

/** Walks the lines of a seed, and then compares its table with the page. */
export function walkSeed(seed: string, title: string, walk: (walk: Walk) => void): void {
  describe(`seed ${seed}`, () => {
    const lines: Line[] = [];
    const add = (line: Line) => void lines.push({ ...line, says: line.says.replaceAll('|', '\\|') });
    walk({
      line(numbers, says, test, note = '') {
        add({ numbers, says, works: true, note });
        it(`${numbers} ${says}`, test);
      },
      held(numbers, says, file, name, note = '') {
        add({ numbers, says, works: true, note });
        it(`${numbers} ${says}`, () => {
          const isThere = readFileSync(join(root, file), 'utf8').includes(name);
          expect(isThere, `${file} has nothing with “${name}”`).toBe(true);
        });
      },
      not(numbers, says, why) {
        add({ numbers, says, works: false, note: why });
      },
    });

    it(`docs/seeds.md has the table of seed ${seed}; WRITE_SEEDS=1 writes it`, () => {
      const counted = lines.flatMap(({ numbers }) => expand(numbers));
      expect(counted).toEqual(counted.map((_, index) => index + 1));
      const works = lines.filter((line) => line.works).flatMap(({ numbers }) => expand(numbers)).length;
      const section = `## ${seed} — ${title}\n\n${works} of ${counted.length} lines work.\n\n${tableOf(lines)}\n`;
      const text = readFileSync(page, 'utf8');
      const marks = [`<!-- seed ${seed} -->\n`, `<!-- end of seed ${seed} -->\n`] as const;
      const [before = '', rest = ''] = text.split(marks[0]);
      const [found = '', after = ''] = rest.split(marks[1]);
      if (process.env['WRITE_SEEDS'] === '1')
        writeFileSync(page, `${before}${marks[0]}\n${section}\n${marks[1]}${after}`);
      else expect(found).toBe(`\n${section}\n`);
    });
  });
}

/** `15–17` as 15, 16 and 17. */
function expand(numbers: string): number[] {
  const [first = 0, last = first] = numbers.split('–').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function tableOf(lines: readonly Line[]): string {
  const rows = [
    ['line', 'the seed says', 'works', 'how, or why not'],
    ...lines.map(({ numbers, says, works, note }) => [numbers, says, works ? 'yes' : 'no', note]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const write = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - cell.length)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [
    write(head),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...body.map(write),
  ].join('\n');
}
