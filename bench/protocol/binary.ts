import { decode, encode } from '@ag-ui/proto';
import { decodeBinaryEvent, encodeBinaryFrame } from 'holdpoint/protocol';
import type { Contest, Run } from './contest.ts';
import { realisticMix } from './samples.ts';

const PREFIX_LENGTH = 4;

/** Events to protobuf and back. Ours writes the length before the message as well, theirs only the message. */
export const binaryContests: readonly Contest[] = [
  {
    name: 'binary encode',
    prepare() {
      const events = manyEvents();
      return {
        events: events.length,
        ours: forEach(events, encodeBinaryFrame),
        theirs: forEach(events, encode),
        warmUp: {
          ours: () => events.map((event) => [...encodeBinaryFrame(event).subarray(PREFIX_LENGTH)]),
          theirs: () => events.map((event) => [...encode(event)]),
        },
      };
    },
  },
  {
    name: 'binary decode',
    prepare() {
      const messages = manyEvents().map((event) => encode(event));
      return {
        events: messages.length,
        ours: forEach(messages, decodeBinaryEvent),
        theirs: forEach(messages, decode),
        warmUp: {
          ours: () => messages.map((message) => withoutUndefined(decodeBinaryEvent(message))),
          theirs: () => messages.map((message) => withoutUndefined(decode(message))),
        },
      };
    },
  },
];

function manyEvents() {
  return Array.from({ length: 10 }, realisticMix).flat();
}

/** Counts what came of each, so that the engine cannot leave the work out. */
function forEach<T>(inputs: readonly T[], work: (input: T) => unknown): Run {
  return () => {
    let made = 0;
    for (const input of inputs) if (work(input) !== undefined) made += 1;
    return made;
  };
}

/** As JSON has it: theirs has a member for everything that is absent. */
function withoutUndefined(event: unknown): unknown {
  return JSON.parse(JSON.stringify(event));
}
