import { afterAll, beforeAll, vi } from 'vitest';

/** All that a conversation and an inbox want of a page: that somebody looks at it. */
export function stubPage(): void {
  beforeAll(() =>
    vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' })),
  );
  afterAll(() => vi.unstubAllGlobals());
}
