import { eventStreamOf } from '../connection.ts';
import { createEventLog } from '../run/event-log.ts';
import { delayBefore, wait } from './back-off.ts';
import { followStream, takeUp } from './follow-stream.ts';
import { createFrameDecoder } from './frame-decoder.ts';
import { createFrameOrder } from './frame-order.ts';
import { readFrames } from './read-frames.ts';
import { createVerifierOnDemand } from './verifier-on-demand.ts';

/** What reads streams. Those who are loaded later are given it, so that it stays in one piece with the engine. */
export const streamTools = {
  createEventLog,
  createFrameDecoder,
  createFrameOrder,
  createVerifierOnDemand,
  delayBefore,
  eventStreamOf,
  followStream,
  readFrames,
  takeUp,
  wait,
} as const;

export type StreamTools = typeof streamTools;
