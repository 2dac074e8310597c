import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { platformHash, portableHash } from './digest.ts';

it("gives equal hashes from Node's implementation and from the portable one", () => {
  const hash = platformHash();
  expect(hash?.('{}')).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  // Lone surrogates included.
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(hash?.(text)).toBe(portableHash(text));
    }),
  );
  expect(hash?.('\ud800')).toBe(portableHash('\ud800'));
});
