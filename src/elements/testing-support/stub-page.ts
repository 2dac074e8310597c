import { afterAll, beforeAll, vi } from 'vitest';

/** The smallest page that a conversation and an inbox need: a visible document. */
export function stubPage(): void {
  beforeAll(() =>
    vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' })),
  );
  afterAll(() => vi.unstubAllGlobals());
}
