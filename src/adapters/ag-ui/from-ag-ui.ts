import { HoldpointError, isRecord, messageOf } from '../../core/index.ts';
import type { Agent, AgentContext } from '../../engine/index.ts';
import type { AgentStreamEvent, DialectName, Interrupt, RunAgentInput } from '../../protocol/index.ts';
import { dialectNamed, EventType, interruptsOf, PROTOCOL_VERSION, readEvents } from '../../protocol/index.ts';
import type { HostThread } from '../emit-run.ts';
import { scopedThreadId, threadOf } from '../emit-run.ts';
import type { AbstractAgentLike, AbstractAgentRun } from './sdk.ts';

export interface FromAgUiOptions {
  /** Default `ag-ui`; a host that is given agents by name uses the name. */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** For an address: the form in which inputs are sent. Default `1.0`; every form is read. */
  readonly dialect?: DialectName;
  /** For an address: headers of every request, such as a token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The agent's own id of a thread. Default: made of scope and thread, so that tenants never share one. */
  readonly threadId?: (thread: HostThread) => string;
}

/** An AG-UI agent as an agent for a host. */
export interface AgUiAgent extends Agent {
  /** The interrupts that a server shows at `<url>/connect`; none for a server without that route. */
  pending?(thread: HostThread): Promise<readonly Interrupt[]>;
  /** By the same route; `unknown` without it. */
  reconcile?(interrupt: Interrupt, thread: HostThread): Promise<'waiting' | 'taken' | 'unknown'>;
}

/**
 * Puts an AG-UI agent behind a host: the address of a server, or an `AbstractAgent` of `@ag-ui/client`, which is cloned for
 * each run and runs its middleware.
 *
 * @example
 * ```ts
 * import { fromAgUi } from 'holdpoint/ag-ui';
 * import { createHost } from 'holdpoint/host';
 *
 * const host = createHost({ agents: { remote: fromAgUi('https://example.com/agent') }, store });
 * ```
 */
export function fromAgUi(given: string | URL | AbstractAgentLike, options: FromAgUiOptions = {}): AgUiAgent {
  const { id = 'ag-ui', name, description } = options;
  const threadId = options.threadId ?? scopedThreadId;
  const about = {
    id,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  };
  const inputFor = (input: RunAgentInput, context: AgentContext): RunAgentInput => ({
    ...input,
    threadId: threadId(threadOf(input, context)),
  });
  if (typeof given !== 'string' && !(given instanceof URL)) {
    return {
      ...about,
      run: (input, context = {}) => runClone(given, inputFor(input, context), context.signal),
    };
  }
  const url = String(given);
  /** The interrupts that the server shows; undefined for a server that does not show them. */
  const shown = async (thread: HostThread): Promise<readonly Interrupt[] | undefined> => {
    const empty = { runId: 'connect', messages: [], state: {}, tools: [], context: [], forwardedProps: {} };
    const input: RunAgentInput = { ...empty, threadId: threadId(thread) };
    const response = await post(`${url}/connect`, input, { ...options, signal: undefined });
    if (response.status === 404 || response.status === 405) return undefined;
    let interrupts: readonly Interrupt[] | undefined;
    for await (const event of eventsOf(response, url)) {
      if (event.type === EventType.RUN_FINISHED) interrupts = interruptsOf(event);
    }
    return interrupts;
  };
  return {
    ...about,
    async *run(input, context = {}) {
      const response = await post(url, inputFor(input, context), { ...options, signal: context.signal });
      yield* eventsOf(response, url);
    },
    pending: async (thread) => (await shown(thread)) ?? [],
    async reconcile({ id: interruptId }, thread) {
      const interrupts = await shown(thread);
      if (interrupts === undefined) return 'unknown';
      return interrupts.some((one) => one.id === interruptId) ? 'waiting' : 'taken';
    },
  };
}

async function post(
  url: string,
  input: RunAgentInput,
  { dialect = '1.0', headers, signal }: FromAgUiOptions & { readonly signal: AbortSignal | undefined },
): Promise<Response> {
  const sent = { ...input, protocolVersion: PROTOCOL_VERSION };
  const request = new Request(url, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(dialect === '1.0' ? sent : dialectNamed(dialect).encodeInput(sent)),
    ...(signal === undefined ? {} : { signal }),
  });
  return fetch(request).catch((error: unknown) => {
    if (!isUnreachable(error)) throw error;
    throw new HoldpointError('UNAVAILABLE', 'The agent cannot be reached.', { cause: error });
  });
}

/** Whether a request was certainly not sent. */
function isUnreachable(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return isRecord(cause) && (cause['code'] === 'ECONNREFUSED' || cause['code'] === 'ENOTFOUND');
}

async function* eventsOf(response: Response, url: string): AsyncGenerator<AgentStreamEvent, void, undefined> {
  const { ok, status, body } = response;
  if (!ok || body === null) {
    throw new HoldpointError(
      'INTERNAL',
      `The agent at ${url} responded with ${status}: ${await response.text()}`,
    );
  }
  for await (const { event } of readEvents(body)) yield event;
}

/** Runs a clone: an `AbstractAgent` keeps the messages of its run in itself, so that two runs of one would mix them. */
async function* runClone(
  agent: AbstractAgentLike,
  input: RunAgentInput,
  signal: AbortSignal | undefined,
): AsyncGenerator<AgentStreamEvent, void, undefined> {
  const { threadId, runId, messages, state, tools, context, forwardedProps, resume } = input;
  const clone = agent.clone() as AbstractAgentRun;
  clone.threadId = threadId;
  clone.setMessages(messages);
  clone.setState(state ?? {});
  const stop = () => clone.abortRun();
  const events = new ReadableStream<AgentStreamEvent>({
    start(controller) {
      const parameters = {
        runId,
        tools,
        context,
        forwardedProps,
        ...(resume === undefined ? {} : { resume }),
      };
      const onEvent = ({ event }: { readonly event: unknown }) =>
        controller.enqueue(event as AgentStreamEvent);
      clone.runAgent(parameters, { onEvent }).then(
        () => controller.close(),
        (error: unknown) =>
          controller.error(
            new HoldpointError('INTERNAL', `The agent failed: ${messageOf(error)}`, { cause: error }),
          ),
      );
    },
    cancel: stop,
  });
  signal?.addEventListener('abort', stop, { once: true });
  try {
    yield* events;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
