import type { StreamOptions } from '../stream-options.ts';

/** Ids that count up, and a fixed clock. */
export function fixed(): Pick<StreamOptions, 'now' | 'newId'> {
  let count = 0;
  return {
    now: () => 1_700_000_000_000,
    newId: () => {
      count += 1;
      return `id-${count}`;
    },
  };
}
