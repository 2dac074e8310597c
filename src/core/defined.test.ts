import { expect, expectTypeOf, it } from 'vitest';
import { defined } from './defined.ts';

it('leaves out undefined members and keeps null, false, 0 and empty text', () => {
  const members = { name: undefined, nothing: null, no: false, count: 0, text: '' };
  expect(Object.keys(defined(members))).toEqual(['nothing', 'no', 'count', 'text']);
});

it('returns the same object when every member has a value', () => {
  const members = { id: 'i1', reason: 'tool_call' };
  expect(defined(members)).toBe(members);
});

it('turns members that may be undefined into optional members', () => {
  const members = (name?: string) => defined({ id: 'i1', name });
  expectTypeOf<keyof ReturnType<typeof members>>().toEqualTypeOf<'id' | 'name'>();
  const result: { readonly id: string; readonly name?: string } = members();
  expect(result).toEqual({ id: 'i1' });
});
