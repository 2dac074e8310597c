import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs as howOften } from '../../../test/size.ts';
import type { AgentStreamEvent, Message } from '../../protocol/index.ts';
import { EventType } from '../../protocol/index.ts';
import { EMAIL, interrupted, runOf } from '../testing-support/events.ts';
import { createThreadStore } from './thread-store.ts';

const threadId = 't';

/** The log of a thread with this many runs, each with one message. */
const logOf = (runs: number): AgentStreamEvent[] =>
  Array.from({ length: runs }, (_, run) => {
    const messageId = `m${run}`;
    return runOf({ threadId, runId: `r${run}` }, [
      { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' },
      { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: 'one ' },
      { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: 'two' },
      { type: EventType.TEXT_MESSAGE_END, messageId },
    ]);
  }).flat();
const PER_RUN = logOf(1).length;
const said = (runs: number): Message[] =>
  Array.from({ length: runs }, (_, run) => ({ id: `m${run}`, role: 'assistant', content: 'one two' }));

type Frame = readonly [AgentStreamEvent, id?: string];

/** The snapshot frames of a host for a log of this length, before an active run. */
function asIs(length: number, runId: string): { readonly frames: readonly Frame[]; readonly place: number } {
  const runs = Math.floor(length / PER_RUN);
  const [started, finished] = runOf({ threadId, runId }, []);
  const place = runs * PER_RUN;
  const frames: Frame[] = [
    [started!],
    [{ type: EventType.MESSAGES_SNAPSHOT, messages: said(runs) }],
    [finished!, String(place)],
  ];
  return { frames, place };
}

describe('several streams of one thread', () => {
  it('shows every event once and never removes it, in every order of arrival', () => {
    const runs = 3;
    const log = logOf(runs);
    fc.assert(
      fc.property(
        fc.array(fc.nat(999), { maxLength: 120, size: 'max' }),
        fc.integer({ min: 1, max: 4 }),
        (steps, looks) => {
          const thread = createThreadStore(threadId, { warn: expect.unreachable, kept: undefined });
          let length = 0;
          /** A stream: the frames that the server has sent and the client has not read, up to an end. */
          const open = (name: string, end: number) => {
            const stream: { frames: Frame[]; place?: number } = { frames: [] };
            thread.ask(stream);
            return {
              end,
              stream,
              /** The server answers with the current thread. */
              answer() {
                const { frames, place } = asIs(length, name);
                stream.frames.push(...frames);
                stream.place = place;
              },
            };
          };
          const streams = [open('watch', log.length)];
          const arrive = ({ stream, end }: (typeof streams)[number]) => {
            if (stream.place !== undefined)
              for (; stream.place < Math.min(end, length); stream.place += 1)
                stream.frames.push([log[stream.place]!, String(stream.place + 1)]);
            const [event, id] = stream.frames.shift() ?? [];
            if (event !== undefined) thread.receive(event, { stream, id, numbered: true });
          };
          const letters = () => thread.messages.reduce((sum, { content }) => sum + String(content).length, 0);
          /** Starts a run of this client with its own stream, if every earlier event is known. */
          const grow = () => {
            const isKnown = length === 0 || thread.lastId === String(length);
            if (length % PER_RUN === 0 && length < log.length && isKnown) {
              const run = open('run', length + PER_RUN);
              run.stream.place = length;
              streams.push(run);
            }
            length = Math.min(length + 1, log.length);
          };
          let before = 0;
          for (const step of steps) {
            const one = streams[step % streams.length]!;
            const act = Math.floor(step / streams.length) % 5;
            if (act === 0 && streams.length <= looks) streams.push(open(`look ${streams.length}`, 0));
            else if (one.stream.place === undefined) one.answer();
            else if (act < 3) arrive(one);
            else grow();
            expect(letters()).toBeGreaterThanOrEqual(before);
            before = letters();
          }
          while (length < log.length) grow();
          for (const one of streams) {
            if (one.stream.place === undefined) one.answer();
            do arrive(one);
            while (one.stream.frames.length > 0);
          }
          expect(thread.messages).toEqual(said(runs));
          expect(thread.getSnapshot().status).toBe('idle');
        },
      ),
      { numRuns: howOften(400) },
    );
  });

  const setUp = () => {
    const thread = createThreadStore(threadId, { warn: expect.unreachable, kept: undefined });
    const open = (stream = {}, numbered = false) => {
      thread.ask(stream);
      return (...frames: readonly Frame[]) => {
        for (const [event, id] of frames) thread.receive(event, { stream, id, numbered });
      };
    };
    return { thread, open };
  };
  const numbered = (runs: number) => logOf(runs).map((event, at): Frame => [event, String(at + 1)]);

  it('starts to count again when the server has lost events', () => {
    const { thread, open } = setUp();
    open()(...numbered(2));
    const [watching, running] = [open(), open()];
    watching(...asIs(PER_RUN, 'look').frames);
    expect(thread.messages).toEqual(said(1));
    const again = numbered(2).slice(PER_RUN);
    watching(...again.slice(0, 4));
    running(...again);
    watching(...again.slice(4));
    expect(thread.messages).toEqual(said(2));
  });

  it('loses nothing when a broken stream resumes at its last id', () => {
    const { thread, open } = setUp();
    const watch = {};
    open(watch, true)(...asIs(0, 'look').frames);
    open()(...numbered(1));
    open(watch, true)(...numbered(1));
    expect(thread.messages).toEqual(said(1));
    expect(thread.lastId).toBe(String(PER_RUN));
  });

  it('ignores a snapshot that breaks before its id', () => {
    const { thread, open } = setUp();
    const watch = {};
    open(watch, true)(...asIs(PER_RUN, 'broken').frames.slice(0, 2));
    open(watch, true)(...numbered(1));
    expect(thread.messages).toEqual(said(1));
  });

  it("takes the server's newest snapshot of a position, and ends a run that shows less than is known", () => {
    const { thread, open } = setUp();
    open()(...numbered(1));
    const replay = open();
    thread.progress({ status: 'running', runId: 'replay' });
    const { frames } = asIs(PER_RUN, 'replay');
    replay(...frames.slice(0, 2), [runOf({ threadId, runId: 'replay' }, [], interrupted(EMAIL))[1]!, '6']);
    expect(thread.getSnapshot()).toMatchObject({ status: 'interrupted', interrupts: [EMAIL] });
    const late = open();
    open()(...numbered(2).slice(PER_RUN));
    thread.progress({ status: 'running', runId: 'late' });
    late(...asIs(PER_RUN, 'late').frames);
    expect(thread.getSnapshot()).toMatchObject({ status: 'idle', messages: said(2) });
  });
});
