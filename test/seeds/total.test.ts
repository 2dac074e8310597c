import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('docs/seeds.md counts the lines of all seeds', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/seeds.md'), 'utf8');
  const counts = [...page.matchAll(/^(\d+) of (\d+) lines work\.$/gm)];
  const sum = (index: number) => counts.reduce((total, match) => total + Number(match[index]), 0);
  expect(counts).toHaveLength(5);
  expect(page).toContain(`\n${sum(1)} of ${sum(2)} lines work. `);
});
