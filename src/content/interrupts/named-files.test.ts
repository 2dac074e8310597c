import { describe, expect, it } from 'vitest';
import { checkFiles } from './index.ts';

const file = { format: 'file', maxBytes: 10 };
const files = {
  describe: async (id: string) =>
    id === 'none' ? undefined : { id, name: 'a.txt', type: 'text/plain', size: id === 'large' ? 11 : 1 },
  read: async () => undefined,
};
const check = (responseSchema: Record<string, unknown>, payload: unknown) =>
  checkFiles(
    { id: 'q', reason: 'input_required', responseSchema },
    { interruptId: 'q', status: 'resolved', payload },
    files,
  );

describe('the files that an answer names', () => {
  it.each([
    ['a member', { properties: { a: file } }, (id: string) => ({ a: { fileId: id } }), '/a'],
    ['a list', { items: file }, (id: string) => ['small', id], '/1'],
    ['a position', { prefixItems: [{}, file] }, (id: string) => ['none', id], '/1'],
    ['any other member', { additionalProperties: file }, (id: string) => ({ 'a/b': id }), '/a~1b'],
    [
      'a member by pattern',
      { patternProperties: { '^f': file } },
      (id: string) => ({ f1: id, g: 'none' }),
      '/f1',
    ],
    [
      'a reference',
      { $defs: { f: file }, properties: { a: { $ref: '#/$defs/f' } } },
      (id: string) => ({ a: id }),
      '/a',
    ],
    ['a condition', { if: {}, else: { properties: { a: file } } }, (id: string) => ({ a: id }), '/a'],
    ['an alternative', { anyOf: [{ type: 'null' }, file] }, (id: string) => ({ id }), ''],
  ])('are checked in %s', async (_name, schema, payload, pointer) => {
    expect(await check(schema, payload('none'))).toEqual([
      { pointer, message: 'the thread has no file "none"' },
    ]);
    expect(await check(schema, payload('large'))).toMatchObject([{ pointer }]);
    expect(await check(schema, payload('small'))).toEqual([]);
  });

  it('a value that names no file is not accepted, unless the schema has an alternative for it', async () => {
    for (const value of [['none'], 5, { fileId: ['none'] }])
      expect(await check({ properties: { a: file } }, { a: value })).toEqual([
        { pointer: '/a', message: 'expected a file' },
      ]);
    expect(await check({ anyOf: [{ type: 'number' }, file] }, 5)).toEqual([]);
    expect(await check({ anyOf: [{ type: 'null' }, file] }, null)).toEqual([]);
  });
});
