import { HttpAgent } from '@ag-ui/client';
import type { AgentStreamEvent, Message } from 'holdpoint/protocol';
import { createApplier, createChunkExpander, createVerifier, readEvents } from 'holdpoint/protocol';
import type { Contestants, Run } from './contest.ts';

/** A stream of bytes as it arrives, and the thread it is applied to. */
export interface Consumed {
  readonly chunks: readonly Uint8Array[];
  readonly messages?: readonly Message[];
  readonly state?: unknown;
  /** Which of the two is looked at after every event that changes it. */
  readonly watch: 'messages' | 'state';
}

/** The same bytes through both pipelines, from the response to a thread that a page could show. */
export function consumers(consumed: Consumed): Required<Pick<Contestants, 'ours' | 'theirs'>> {
  return { ours: consumeByUs(consumed), theirs: consumeByThem(consumed) };
}

/** One chunk for each event, as a model's words arrive. */
export function chunkPerEvent(events: readonly AgentStreamEvent[]): Uint8Array[] {
  const encoder = new TextEncoder();
  return events.map((event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
}

/** Chunks of 16 kB, as a socket gives out what is large. */
export function chunksOf16kB(events: readonly AgentStreamEvent[]): Uint8Array[] {
  const bytes = Buffer.concat(chunkPerEvent(events));
  const size = 16 * 1024;
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    Uint8Array.from(bytes.subarray(index * size, (index + 1) * size)),
  );
}

function consumeByUs({ chunks, messages = [], state = {}, watch }: Consumed): Run {
  return async (restartClock) => {
    const { body } = respond(chunks);
    if (body === null) throw new Error('The response has no body');
    restartClock();
    const expand = createChunkExpander();
    const verifier = createVerifier();
    const applier = createApplier({ messages, state });
    const viewer = createViewer(watch, applier);
    for await (const { event } of readEvents(body)) {
      for (const expanded of expand(event)) {
        verifier.check(expanded);
        applier.apply(expanded);
        viewer.look(applier);
      }
    }
    verifier.end();
    return { views: viewer.views, messages: applier.messages, state: applier.state };
  };
}

/** Their clock begins when they ask for the response: making the request is no part of the contest. */
function consumeByThem({ chunks, messages = [], state = {}, watch }: Consumed): Run {
  return async (restartClock) => {
    const agent = new HttpAgent({
      url: 'http://bench.invalid/',
      initialMessages: [...messages],
      initialState: state,
      fetch: async () => {
        restartClock();
        return respond(chunks);
      },
    });
    const viewer = createViewer(watch, agent);
    await agent.runAgent(
      {},
      watch === 'messages'
        ? { onMessagesChanged: (thread) => viewer.look(thread) }
        : { onStateChanged: (thread) => viewer.look(thread) },
    );
    return { views: viewer.views, messages: agent.messages, state: agent.state };
  };
}

interface Thread {
  readonly messages: readonly Message[];
  readonly state: unknown;
}

/**
 * Looks at a thread as a page would and notes down what it sees: of messages the end of the last text, which
 * makes a text real that the engine has only noted down as joined; of a state that it is another one.
 */
function createViewer(watch: Consumed['watch'], before: Thread) {
  const views: string[] = [];
  let last = before[watch];
  return {
    views,
    look(thread: Thread): void {
      const seen = thread[watch];
      if (seen === last) return;
      last = seen;
      const view = watch === 'state' ? `state ${views.length}` : endOfText(thread.messages.at(-1));
      if (view !== views.at(-1)) views.push(view);
    },
  };
}

function endOfText(message: Message | undefined): string {
  const text = typeof message?.content === 'string' ? message.content : '';
  return `${text.length}: ${text.at(-1)}`;
}

function respond(chunks: readonly Uint8Array[]): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks[next];
      next += 1;
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
