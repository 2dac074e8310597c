import { describe, expect, it } from 'vitest';
import { csvCell } from './csv-cell.ts';

describe('csvCell', () => {
  it('puts a text in quotes and doubles those in it', () => {
    expect(csvCell('a "b", c')).toBe('"a ""b"", c"');
  });

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '  =1+1',
    '\u00A0=1+1',
    '\t=1+1',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
    '\ttext',
    '\ntext',
  ])('writes %j, which a spreadsheet could run, after an apostrophe', (text) => {
    expect(csvCell(text)).toBe(`"'${text}"`);
  });

  it.each([
    ['\u0001=1+1', String.raw`"'\u0001=1+1"`],
    ['\u0000 @x', String.raw`"'\u0000 @x"`],
    ['\rtext', String.raw`"'\u000dtext"`],
  ])('escapes the control character of %j too', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });

  it.each(['text', ' text', '1-1', 'a=b', 'ana@b.c', ''])('leaves %j as it is', (text) => {
    expect(csvCell(text)).toBe(`"${text}"`);
  });
});
