import { defined, fetchWithin, HoldpointError, isRecord } from '../../core/index.ts';
import type { AbstractAgentLike, Agent, AgentContext } from '../../engine/index.ts';
import { abstractThreadId, runAbstractAgent, withoutClientMembers } from '../../engine/index.ts';
import type { DialectName, Interrupt, ReceivedEvent, RunAgentInput } from '../../protocol/index.ts';
import { dialectNamed, EventType, interruptsOf, PROTOCOL_VERSION, readEvents } from '../../protocol/index.ts';
import type { AdapterOptions, HostThread } from '../emit-run.ts';
import { scopedThreadId, threadOf } from '../emit-run.ts';

export interface FromAgUiOptions extends AdapterOptions {
  /**
   * For an address: the form in which inputs are sent. Default: the form in which the server last asked on the thread, `1.0` before it
   * asks. Every form is read.
   */
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
        const { dialect } = options;
        const form = dialect === undefined ? await formOn(context) : { dialect };
        const response = await post(String(given), inputFor(input, context), {
          ...options,
          form,
          signal: context.signal,
        });
        for await (const { event, raw } of eventsOf(response, String(given))) {
          if (event.type === EventType.RUN_FINISHED && interruptsOf(event).length > 0) {
            const asked = formOf(raw);
            if (dialect === undefined && !isSameForm(asked, form)) await context.memory?.write({ ...asked });
          }
          yield event;
        }
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
    const form = { dialect: options.dialect ?? '1.0' };
    const response = await post(connectUrl(server.url), input, {
      ...server.options,
      form,
      signal: undefined,
    });
    if (response.status === 404 || response.status === 405) return undefined;
    let interrupts: readonly Interrupt[] | undefined;
    for await (const { event } of eventsOf(response, server.url)) {
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

/** The form of an input: a dialect, and in snake_case names whether `resume` is the one answer of the draft. */
interface InputForm {
  readonly dialect: DialectName;
  readonly isDraft?: true;
}

/** The form in which the server last asked on this thread; the thread keeps it over a restart. */
async function formOn({ memory }: AgentContext): Promise<InputForm> {
  const kept = await memory?.read();
  const dialect = isRecord(kept) ? kept['dialect'] : undefined;
  if (!isRecord(kept) || typeof dialect !== 'string') return { dialect: '1.0' };
  return { dialect: dialectNamed(dialect).name, ...(kept['isDraft'] === true ? { isDraft: true } : {}) };
}

/** The form of the event that ended a run with interrupts. */
function formOf(raw: unknown): InputForm {
  if (!isRecord(raw)) return { dialect: '1.0' };
  const isDraft = typeof raw['outcome'] === 'string' || isRecord(raw['interrupt']);
  if (dialectNamed('snake').ownsEvent(raw)) return { dialect: 'snake', ...(isDraft ? { isDraft } : {}) };
  if (isDraft) return { dialect: 'draft' };
  // The interrupts came before this event, as `on_interrupt`.
  return { dialect: isRecord(raw['outcome']) ? '1.0' : 'command' };
}

function isSameForm(one: InputForm, other: InputForm): boolean {
  return one.dialect === other.dialect && one.isDraft === other.isDraft;
}

function encoded(input: RunAgentInput, { dialect, isDraft }: InputForm): unknown {
  // The host gives the answers to an agent that asked in the draft in the draft.
  if (dialect === '1.0' || isRecord(input.resume)) return input;
  const form = dialectNamed(dialect);
  if (isDraft !== true) return form.encodeInput(input);
  const { resume: list, ...rest } = input;
  const { resume } = dialectNamed('draft').encodeInput({ ...rest, ...defined({ resume: list }) });
  if (!isRecord(resume)) return form.encodeInput(input);
  const { interruptId, ...answer } = resume;
  return { ...form.encodeInput(rest), resume: { ...defined({ interrupt_id: interruptId }), ...answer } };
}

/** The route of a server that shows a thread and runs nothing. */
export function connectUrl(url: string): string {
  const [path = '', ...query] = url.split('?');
  return [`${path.replace(/\/$/, '')}/connect`, ...query].join('?');
}

async function post(
  url: string,
  input: RunAgentInput,
  {
    form,
    headers,
    signal,
  }: FromAgUiOptions & { readonly form: InputForm; readonly signal: AbortSignal | undefined },
): Promise<Response> {
  const sent = { ...input, protocolVersion: PROTOCOL_VERSION };
  const init = {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(encoded(sent, form)),
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

async function* eventsOf(response: Response, url: string): AsyncGenerator<ReceivedEvent, void, undefined> {
  const { ok, status, body } = response;
  if (!ok || body === null) {
    throw new HoldpointError(
      'INTERNAL',
      `The agent at ${url} responded with ${status}: ${body === null ? '' : await startOf(body)}`,
    );
  }
  yield* readEvents(body);
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
