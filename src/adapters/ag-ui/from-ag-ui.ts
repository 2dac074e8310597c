import { defined, fetchWithin, HoldpointError, isRecord } from '../../core/index.ts';
import type { AbstractAgentLike, Agent, AgentContext } from '../../engine/index.ts';
import { abstractThreadId, runAbstractAgent, withoutClientMembers } from '../../engine/index.ts';
import type { AgentStreamEvent, DialectName, Interrupt, RunAgentInput } from '../../protocol/index.ts';
import { dialectNamed, EventType, interruptsOf, PROTOCOL_VERSION, readEvents } from '../../protocol/index.ts';
import type { AdapterOptions, HostThread } from '../emit-run.ts';
import { scopedThreadId, threadOf } from '../emit-run.ts';

export interface FromAgUiOptions extends AdapterOptions {
  /** For an address: the form in which inputs are sent. Default `1.0`; every form is read. */
  readonly dialect?: DialectName;
  /** For an address: headers of every request, such as a token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The agent's own id of a thread. Default: made of scope and thread, so that tenants never share one; for an `AbstractAgent` a UUID. */
  readonly threadId?: (thread: HostThread) => string;
  /**
   * Members of a client's state that the agent gets. Everybody who may send a message may write them, so none of them may decide
   * about a call. Default: none.
   */
  readonly clientState?: readonly string[];
  /**
   * Members of a client's `forwardedProps` that the agent gets, never the answers in `command`. A server may obey them: LangGraph's
   * takes `command`, `config` and `checkpoint_id`, and calls the address in `webhook`. Default: none.
   */
  readonly clientProps?: readonly string[];
}

/** An AG-UI agent as an agent for a host. */
export interface AgUiAgent extends Agent {
  /** The interrupts that a server, or the server of an `HttpAgent`, shows at `<url>/connect`; none for a server without that route. */
  pending?(thread: HostThread): Promise<readonly Interrupt[]>;
  /** By the same route; `unknown` without it. */
  reconcile?(interrupt: Interrupt, thread: HostThread): Promise<'waiting' | 'taken' | 'unknown'>;
}

/**
 * Puts an AG-UI agent behind a host: the address of a server, an `AbstractAgent` of `@ag-ui/client`, or a function that makes
 * one for each run. An instance is cloned for each run if its own class defines `clone`; other instances run one at a time.
 * The middleware of the agent runs, and a cancelled run is aborted upstream.
 *
 * @example
 * ```ts
 * import { fromAgUi } from 'holdpoint/ag-ui';
 * import { createHost } from 'holdpoint/host';
 *
 * const host = createHost({ agents: { remote: fromAgUi('https://example.com/agent') }, store });
 * ```
 */
export function fromAgUi(
  given:
    | string
    | URL
    | AbstractAgentLike
    | ((input: RunAgentInput, context: AgentContext) => AbstractAgentLike),
  options: FromAgUiOptions = {},
): AgUiAgent {
  const { id = 'ag-ui', name, description } = options;
  const isUrl = typeof given === 'string' || given instanceof URL;
  const threadId = options.threadId ?? (isUrl ? scopedThreadId : abstractThreadId);
  const about = { id, ...defined({ name, description }) };
  const inputFor = (input: RunAgentInput, context: AgentContext): RunAgentInput => ({
    ...withoutClientMembers(input, options),
    threadId: threadId(threadOf(input, context)),
  });
  const run: Agent['run'] = isUrl
    ? async function* (input, context = {}) {
        const response = await post(String(given), inputFor(input, context), {
          ...options,
          signal: context.signal,
        });
        yield* eventsOf(response, String(given));
      }
    : (input, context = {}) => {
        const sent = inputFor(input, context);
        const isFresh = typeof given === 'function';
        const agent = isFresh ? given({ ...sent, threadId: input.threadId }, context) : given;
        return runAbstractAgent(agent, sent, { signal: context.signal, isFresh });
      };
  const server = isUrl ? { url: String(given), options } : serverOf(given);
  if (server === undefined) return { ...about, run };
  /** The interrupts that the server shows; undefined for a server that does not show them. */
  const shown = async (thread: HostThread): Promise<readonly Interrupt[] | undefined> => {
    const empty = { runId: 'connect', messages: [], state: {}, tools: [], context: [], forwardedProps: {} };
    const input: RunAgentInput = { ...empty, threadId: threadId(thread) };
    const response = await post(connectUrl(server.url), input, { ...server.options, signal: undefined });
    if (response.status === 404 || response.status === 405) return undefined;
    let interrupts: readonly Interrupt[] | undefined;
    for await (const event of eventsOf(response, server.url)) {
      if (event.type === EventType.RUN_FINISHED) interrupts = interruptsOf(event);
    }
    return interrupts;
  };
  return {
    ...about,
    run,
    pending: async (thread) => (await shown(thread)) ?? [],
    async reconcile({ id: interruptId }, thread) {
      const interrupts = await shown(thread);
      if (interrupts === undefined) return 'unknown';
      return interrupts.some((one) => one.id === interruptId) ? 'waiting' : 'taken';
    },
  };
}

/** The server of an `HttpAgent`; undefined for other agents. */
function serverOf(
  agent: object,
): { readonly url: string; readonly options: Pick<FromAgUiOptions, 'headers'> } | undefined {
  const [url, headers]: unknown[] = [Reflect.get(agent, 'url'), Reflect.get(agent, 'headers')];
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const texts = Object.entries(isRecord(headers) ? headers : {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return { url, options: { headers: Object.fromEntries(texts) } };
}

/** The route of a server that shows a thread and runs nothing. */
export function connectUrl(url: string): string {
  const [path = '', ...query] = url.split('?');
  return [`${path.replace(/\/$/, '')}/connect`, ...query].join('?');
}

async function post(
  url: string,
  input: RunAgentInput,
  { dialect = '1.0', headers, signal }: FromAgUiOptions & { readonly signal: AbortSignal | undefined },
): Promise<Response> {
  const sent = { ...input, protocolVersion: PROTOCOL_VERSION };
  const init = {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
    // The host gives the answers to an agent that asked in the draft in the draft.
    body: JSON.stringify(
      dialect === '1.0' || isRecord(sent.resume) ? sent : dialectNamed(dialect).encodeInput(sent),
    ),
    ...defined({ signal }),
  };
  return fetchWithin(new Set([new URL(url).origin]), url, { init }).catch((error: unknown) => {
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
      `The agent at ${url} responded with ${status}: ${body === null ? '' : await startOf(body)}`,
    );
  }
  for await (const { event } of readEvents(body)) yield event;
}

/** Bytes of an error response that the logger gets. */
const ERROR_BYTES = 2000;

/** The start of a body as text. The rest is not read, because it may not end. */
async function startOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = ERROR_BYTES;
  for await (const chunk of body) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    // Leaving the loop cancels the response.
    if (left <= 0) return text;
  }
  return text;
}
