import type { Verifier } from '../../protocol/verify/index.ts';
import { createVerifierWith } from '../../protocol/verify/index.ts';
import { eventStreamOf } from '../connection.ts';
import { createEventLog } from '../run/event-log.ts';
import { delayBefore, wait } from './back-off.ts';
import { followStream, takeUp } from './follow-stream.ts';
import { createFrameDecoder } from './frame-decoder.ts';
import { createFrameOrder } from './frame-order.ts';
import { rulesOnDemand } from './rare-on-demand.ts';
import { readFrames } from './read-frames.ts';

/** A verifier whose rules about subagents are loaded with the first of them. */
export function createVerifier(): Verifier {
  return createVerifierWith(rulesOnDemand());
}

/** What reads streams. Those who are loaded later are given it, so that it stays in one piece with the engine. */
export const streamTools = {
  createEventLog,
  createFrameDecoder,
  createFrameOrder,
  createVerifier,
  delayBefore,
  eventStreamOf,
  followStream,
  readFrames,
  takeUp,
  wait,
} as const;

export type StreamTools = typeof streamTools;
