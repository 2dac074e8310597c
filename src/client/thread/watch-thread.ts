import type { CustomRequest, CustomResponse } from '../../content/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent, Verifier } from '../../protocol/index.ts';
import type { RunUpdate } from '../run/run.ts';
import type { Session } from '../session.ts';
import { createVerifier } from '../../protocol/verify/create-verifier.ts';
import { createEventLog } from '../run/event-log.ts';
import { contentParts } from '../run/prepare-run.ts';
import { followStream, takeUp } from '../stream/follow-stream.ts';
import { createFrameDecoder, otherForms } from '../stream/frame-decoder.ts';
import { createFrameOrder } from '../stream/frame-order.ts';
import type { ThreadStore } from './thread-store.ts';

/** Yields the events of all runs of a thread until the signal aborts or the reader leaves. */
export async function* watchThread<Request extends CustomRequest, Response extends CustomResponse>(
  session: Session<Request, Response>,
  thread: ThreadStore,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunUpdate<Request>, void, undefined> {
  const { threadId } = thread;
  const { connection } = session;
  if (connection.base === undefined) {
    const sentence = `The threads of ${connection.runUrl} have no known URL. Set the option "base" of createClient.`;
    throw new HoldpointError('INPUT_INVALID', sentence);
  }
  const leaving = new AbortController();
  const stop = AbortSignal.any([leaving.signal, ...(signal === undefined ? [] : [signal])]);
  await thread.restore();
  const order = createFrameOrder(thread.lastId);
  const log = createEventLog();
  const stream = {};
  thread.ask(stream);
  let verifier: Verifier | undefined;
  let runId = '';
  /** True when events were left out because a run of this client arrived first: the thread is then loaded again. */
  let isPartial = false;
  let isShownAgain = false;
  const origin = (id: string | undefined) => ({ stream, id, numbered: true });
  const follow = {
    session,
    threadId,
    signal: stop,
    order,
    decoder: createFrameDecoder({ threadId, runId: '' }),
    mayTakeUp() {
      thread.ask(stream);
      return true;
    },
    attempts: Infinity,
    verify(event: AgentStreamEvent, id: string | undefined) {
      if (event.type === 'RUN_STARTED' && id === undefined) {
        // After a snapshot, the earlier events and their ids no longer apply.
        verifier = undefined;
        order.restart();
      }
      // A watch that starts in the middle of a run lacks the events that later ones refer to.
      if (event.type === 'RUN_STARTED') verifier ??= createVerifier();
      verifier?.check(event);
    },
    onEvent(event: AgentStreamEvent, id: string | undefined) {
      // Reset first, to keep the server's order: known messages would otherwise stay before unknown ones.
      if (isShownAgain && event.type === 'MESSAGES_SNAPSHOT') {
        thread.receive({ ...event, messages: [] }, origin(id));
      }
      if (event.type === 'RUN_STARTED') ({ runId } = event);
      if (!thread.receive(event, origin(id)) && !thread.runs.has(runId)) isPartial = true;
      log.push(event);
      if (event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR') {
        verifier = undefined;
        order.forget();
        isShownAgain = false;
        if (isPartial && id !== undefined && id === thread.lastId) {
          isPartial = false;
          isShownAgain = true;
          order.restart();
          throw new HoldpointError(
            'RUN_LOST',
            `Events of the thread ${threadId} are missing. Load the thread again.`,
          );
        }
      }
      return undefined;
    },
    onBatch() {
      thread.changed();
      // `save` reports its failures to `onWarning`.
      thread.save().catch(() => undefined);
    },
  };
  try {
    const following = takeUp(follow).then((response) => followStream(follow, response));
    following.then(
      () => log.end(),
      (error: unknown) => log.end(stop.aborted ? undefined : { error }),
    );
    const read = (await contentParts.load()).createUpdateReader(session, thread, otherForms);
    for await (const event of log.read()) yield read(event);
  } finally {
    leaving.abort();
  }
}
