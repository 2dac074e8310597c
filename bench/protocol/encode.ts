import { EventEncoder } from '@ag-ui/encoder';
import type { AgentStreamEvent } from 'holdpoint/protocol';
import { createSseEncoder } from 'holdpoint/protocol';
import type { Contest, Run } from './contest.ts';
import { realisticMix, textDeltas, toolArgs } from './samples.ts';

/** Events to the text of their frames, and on into the bytes of a socket's buffer. */
export const encodeContests: readonly Contest[] = [
  contest('encode text deltas', () => textDeltas(20_000)),
  contest('encode tool args', () => toolArgs(20_000)),
  contest('encode mix', () => Array.from({ length: 40 }, realisticMix).flat()),
];

function contest(name: string, sample: () => AgentStreamEvent[]): Contest {
  return {
    name,
    prepare() {
      const events = sample();
      const ourEncoder = createSseEncoder();
      const theirEncoder = new EventEncoder();
      const ours = (event: AgentStreamEvent) => ourEncoder.encode(event);
      const theirs = (event: AgentStreamEvent) => theirEncoder.encodeSSE(event);
      return {
        events: events.length,
        ours: encodeAll(events, ours),
        theirs: encodeAll(events, theirs),
        warmUp: { ours: () => events.map(ours), theirs: () => events.map(theirs) },
      };
    },
  };
}

/** A text that the engine has only noted down as joined becomes real when its bytes are written. */
function encodeAll(events: readonly AgentStreamEvent[], encode: (event: AgentStreamEvent) => string): Run {
  const encoder = new TextEncoder();
  const buffer = new Uint8Array(256 * 1024);
  return () => {
    let bytes = 0;
    for (const event of events) bytes += encoder.encodeInto(encode(event), buffer).written;
    return bytes;
  };
}
