import { lonelyContests } from './alone.ts';
import { binaryContests } from './binary.ts';
import { encodeContests } from './encode.ts';
import { largeFrameContests } from './large-frame.ts';
import { stateDeltaContests } from './state-deltas.ts';
import { textDeltaContests } from './text-deltas.ts';

export const CONTESTS = [
  ...encodeContests,
  ...binaryContests,
  ...textDeltaContests,
  ...stateDeltaContests,
  ...largeFrameContests,
  ...lonelyContests,
];
