import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { linkSignals } from './signals.ts';

describe('linked signals', () => {
  it('aborts with the reason of the first source, and leaves no listener', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const { signal } = linkSignals(one.signal, undefined, other.signal);
    expect(signal.aborted).toBe(false);
    other.abort('why');
    one.abort('too late');
    expect([signal.aborted, signal.reason]).toEqual([true, 'why']);
    for (const source of [one, other]) expect(getEventListeners(source.signal, 'abort')).toEqual([]);
  });

  it('returns an aborted signal for an aborted source', () => {
    const living = new AbortController();
    const { signal } = linkSignals(living.signal, AbortSignal.abort('before'));
    expect([signal.aborted, signal.reason]).toEqual([true, 'before']);
    expect(getEventListeners(living.signal, 'abort')).toEqual([]);
  });

  it('leaves no listener after unlink, and no longer aborts', () => {
    const living = new AbortController();
    for (let n = 0; n < 100; n += 1) {
      const { signal, unlink } = linkSignals(new AbortController().signal, living.signal);
      expect(getEventListeners(living.signal, 'abort')).toHaveLength(1);
      unlink();
      unlink();
      expect(getEventListeners(living.signal, 'abort')).toEqual([]);
      expect(signal.aborted).toBe(false);
    }
  });

  it('has one listener for all signals of a source, and aborts each of them that is still linked', () => {
    const source = new AbortController();
    const links = Array.from({ length: 20 }, () => linkSignals(source.signal));
    expect(getEventListeners(source.signal, 'abort')).toHaveLength(1);
    links[0]?.unlink();
    source.abort('why');
    expect(links.map(({ signal }) => signal.aborted)).toEqual([false, ...Array<boolean>(19).fill(true)]);
  });
});
