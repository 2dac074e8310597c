import type { JsonPatch } from '@ag-ui/core';
import fastJsonPatch from 'fast-json-patch';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import { HoldpointError } from '../core/index.ts';
import { arbitraryPatch, arbitraryState } from './testing-support/arbitrary-streams.ts';
import { patchJson } from './patch-json.ts';

function attempt(action: () => unknown): { readonly result: unknown } | 'refused' {
  try {
    return { result: action() };
  } catch (error) {
    if (error instanceof Error) return 'refused';
    throw error;
  }
}

/**
 * Applies a patch with the library, which inserts values without a copy and changes them later. Operations of
 * fast-check may share a value, so each operation is copied on its own.
 */
function applyWithLibrary(state: unknown, patch: JsonPatch): unknown {
  const copies = patch.map((operation) => structuredClone(operation)) as never;
  return fastJsonPatch.applyPatch(structuredClone(state), copies, true, false).newDocument;
}

describe('patchJson', () => {
  it('gives the results of the library that the official client uses', () => {
    const shared = [1, 2];
    const sharing: JsonPatch = [
      { op: 'add', path: '/a', value: shared },
      { op: 'add', path: '/a/1', value: shared },
    ];
    let fitted = 0;
    fc.assert(
      fc.property(arbitraryState(), arbitraryPatch(), (state, patch) => {
        const ours = attempt(() => patchJson(state, patch));
        const theirs = attempt(() => applyWithLibrary(state, patch));
        if (ours !== 'refused' && patch.length > 0) fitted += 1;
        expect(ours).toEqual(theirs);
      }),
      { numRuns: runs(1000), examples: [[{}, sharing]] },
    );
    expect(fitted).toBeGreaterThan(runs(60));
  });

  it.each<[string, unknown, JsonPatch, unknown]>([
    [
      'moves a member',
      { a: { x: 1 }, b: {} },
      [{ op: 'move', from: '/a/x', path: '/b/y' }],
      { a: {}, b: { y: 1 } },
    ],
    ['moves an item', [1, 2, 3], [{ op: 'move', from: '/0', path: '/2' }], [2, 3, 1]],
    ['moves to the root', { a: [1] }, [{ op: 'move', from: '/a', path: '' }], [1]],
    ['copies', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    [
      'copies to the end of a list',
      { a: 1, b: [0] },
      [{ op: 'copy', from: '/a', path: '/b/-' }],
      { a: 1, b: [0, 1] },
    ],
  ])('%s', (_what, document, patch, expected) => {
    expect(patchJson(document, patch)).toEqual(expected);
  });

  it.each<[string, unknown, JsonPatch]>([
    ['from nowhere', {}, [{ op: 'move', from: '/a', path: '' }]],
    ['past the end of a list', [0], [{ op: 'move', from: '/0', path: '/1' }]],
    ['into itself', { a: {} }, [{ op: 'move', from: '/a', path: '/a/b' }]],
    ['to a name in a list', { a: 1, b: [] }, [{ op: 'copy', from: '/a', path: '/b/x' }]],
    ['from what an object inherits', {}, [{ op: 'copy', from: '/toString', path: '/x' }]],
  ])('throws INPUT_INVALID when it moves or copies %s', (_what, document, patch) => {
    expect(() => patchJson(document, patch)).toThrow(HoldpointError);
  });

  it('applies all operations or none, also on owned containers', () => {
    const owned = new WeakSet<object>();
    const first = patchJson({ a: { n: 1 } }, [{ op: 'add', path: '/a/n', value: 2 }], owned);
    expect(() =>
      patchJson(
        first,
        [
          { op: 'add', path: '/a/n', value: 3 },
          { op: 'remove', path: '/b' },
        ],
        owned,
      ),
    ).toThrow('/1');
    expect(first).toEqual({ a: { n: 2 } });
  });

  it('copies an object of many members unchanged', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, { n }]));
    const patched = patchJson(many, [{ op: 'replace', path: '/k7/n', value: 'x' }]) as typeof many;
    expect(patched).toEqual({ ...many, k7: { n: 'x' } });
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
    expect(patched['k8']).toBe(many['k8']);
    expect(many['k7']).toEqual({ n: 7 });
  });

  it('does not share an owned container between two positions', () => {
    const owned = new WeakSet<object>();
    let state = patchJson({ a: { n: 1 } }, [{ op: 'add', path: '/a/n', value: 2 }], owned);
    state = patchJson(state, [{ op: 'copy', from: '/a', path: '/b' }], owned);
    state = patchJson(state, [{ op: 'replace', path: '/a/n', value: 9 }], owned);
    expect(state).toEqual({ a: { n: 9 }, b: { n: 2 } });
  });

  it.each<JsonPatch>([
    [{ op: 'add', path: '/__proto__/polluted', value: 1 }],
    [{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }],
    [{ op: 'copy', from: '/__proto__', path: '/x' }],
    [{ op: 'add', path: '/constructor', value: 1 }],
  ])('throws INPUT_INVALID for %j', (...patch) => {
    expect(() => patchJson({}, patch as never)).toThrow(HoldpointError);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});
