import { HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent, RunAgentInput, RunFinishedEvent } from '../../protocol/index.ts';
import { ERROR_FOLLOWS } from '../../protocol/interrupts/interrupt.ts';
import { createVerifier } from '../../protocol/verify/create-verifier.ts';
import { runFailure } from '../failures.ts';
import type { Session } from '../session.ts';
import { followStream } from '../stream/follow-stream.ts';
import { createFrameDecoder, otherForms } from '../stream/frame-decoder.ts';
import { createFrameOrder } from '../stream/frame-order.ts';
import type { ThreadStore } from '../thread/thread-store.ts';

/** One request and its response. */
interface RunExchange {
  readonly session: Pick<Session, 'connection' | 'backOff' | 'stallTimeoutMs' | 'dialect'>;
  readonly thread: ThreadStore;
  readonly url: string;
  readonly input: RunAgentInput;
  readonly signal: AbortSignal;
  /** True when the stream only shows the thread and runs nothing. */
  readonly snapshot: boolean;
  readonly onEvent: (event: AgentStreamEvent) => void;
}

/** Sends the input and reads the run to its end. Throws the error of the run, and every failure before its end. */
export async function requestRun(exchange: RunExchange): Promise<RunFinishedEvent> {
  const { session, thread, input, signal, snapshot } = exchange;
  const { threadId } = thread;
  const { connection, backOff } = session;
  const stream = {};
  thread.ask(stream);
  const response = await connection.send({ url: exchange.url, body: await encode(input, session), signal });
  const order = createFrameOrder();
  const verifier = createVerifier();
  const follow = {
    session,
    threadId,
    signal,
    order,
    decoder: createFrameDecoder({ threadId, runId: input.runId }),
    attempts: backOff.attempts,
    mayTakeUp: () => !snapshot && order.lastId !== undefined && connection.base !== undefined,
    verify: (event: AgentStreamEvent) => verifier.check(event),
    onEvent(event: AgentStreamEvent, id: string | undefined) {
      if (event.type === 'RUN_STARTED' && event.threadId !== threadId) {
        const sentence = `The server started a run on the thread ${event.threadId} instead of ${threadId}.`;
        throw new HoldpointError('INPUT_INVALID', sentence);
      }
      if (event.type === 'RUN_STARTED') thread.runs.add(event.runId);
      thread.receive(event, { stream, id, snapshot, numbered: snapshot && connection.base !== undefined });
      exchange.onEvent(event);
      if (event.type === 'RUN_FINISHED' && event.metadata?.[ERROR_FOLLOWS] !== true) return event;
      return event.type === 'RUN_ERROR' ? event : undefined;
    },
    onBatch: () => thread.changed(),
  };
  const end = await followStream(follow, response);
  if (end.type === 'RUN_ERROR') throw runFailure(end);
  return end;
}

async function encode(input: RunAgentInput, { dialect }: Pick<Session, 'dialect'>): Promise<unknown> {
  return dialect === '1.0' ? input : (await otherForms.load()).dialectNamed(dialect).encodeInput(input);
}
