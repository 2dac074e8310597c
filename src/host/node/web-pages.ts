import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { staticPages } from './static-pages.ts';

/** Where the built web app is: beside the built package, or in the repository. */
const PLACES = ['../../ui', '../../../dist/ui'];

/** The chat and the inbox that come with this package, for a host's `pages`; undefined where they were not built. */
export function webPages(): ReturnType<typeof staticPages> | undefined {
  const folder = PLACES.map((place) => join(import.meta.dirname, place)).find((place) =>
    existsSync(join(place, 'index.html')),
  );
  return folder === undefined ? undefined : staticPages(folder);
}
