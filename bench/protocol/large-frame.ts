import { EventType } from 'holdpoint/protocol';
import { chunksOf16kB, consumers } from './consume.ts';
import type { Contest } from './contest.ts';
import { aRun, words } from './samples.ts';

const MEGABYTE = 1024 * 1024;

/** One frame of 8 MB that arrives in 16 kB chunks: a state of documents. */
export const largeFrameContests: readonly Contest[] = [
  {
    name: 'large frame',
    prepare: () => ({ events: 1, ...contestants(8), warmUp: contestants(1) }),
  },
];

function contestants(megabytes: number) {
  const body = words(60).join('');
  const documents: { id: string; title: string; body: string }[] = [];
  for (let length = 0; length < megabytes * MEGABYTE; length += body.length + 60) {
    documents.push({ id: `document-${documents.length}`, title: 'A document of the state', body });
  }
  const chunks = chunksOf16kB(aRun([{ type: EventType.STATE_SNAPSHOT, snapshot: { documents } }]));
  return consumers({ chunks, watch: 'state' });
}
