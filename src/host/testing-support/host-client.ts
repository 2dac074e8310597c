import type { AgentStreamEvent, Interrupt, Message, ResumeEntry } from '../../protocol/index.ts';
import {
  createApplier,
  createChunkExpander,
  createVerifier,
  EventType,
  interruptsOf,
} from '../../protocol/index.ts';

/** One frame of a stream of events. */
export interface Frame {
  readonly id?: number;
  readonly event: AgentStreamEvent;
}

/** A run request; every member has a default. */
export interface Ask {
  readonly agent?: string;
  /** A path after the agent's URL. */
  readonly path?: string;
  readonly thread?: string;
  readonly runId?: string;
  readonly say?: string;
  /** The id of the message. */
  readonly messageId?: string;
  readonly messages?: readonly Message[];
  readonly resume?: unknown;
  /** Further members of the input. */
  readonly rest?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Told {
  readonly status: number;
  readonly frames: readonly Frame[];
  readonly types: readonly string[];
  readonly outcome: string;
  readonly interrupts: readonly Interrupt[];
  readonly error: { readonly message: string; readonly code?: string | undefined } | undefined;
  readonly messages: readonly Message[];
  readonly state: unknown;
}

export interface Answered {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what came
  readonly body: any;
  readonly headers: Headers;
}

/** A client of a host for tests: without state, with verified streams. */
export interface HostClient {
  /** Runs to the end. */
  run(ask?: Ask): Promise<Told>;
  /** Opens a stream to read step by step. */
  open(ask?: Ask): Promise<OpenStream>;
  /** The live events of a thread. */
  watch(thread: string, after?: number): Promise<OpenStream>;
  send(method: string, path: string, body?: unknown): Promise<Answered>;
  get(path: string): Promise<Answered>;
  post(path: string, body?: unknown): Promise<Answered>;
}

export interface OpenStream {
  readonly response: Response;
  /** The next frame; undefined at the end. */
  next(): Promise<Frame | undefined>;
  /** Reads frames until one of this type. */
  until(type: string): Promise<Frame[]>;
  /** Reads the remaining frames. */
  rest(): Promise<Frame[]>;
  close(): Promise<void>;
}

let counter = 0;

export function createHostClient(
  fetch: (request: Request) => Promise<Response>,
  given: { readonly url?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): HostClient {
  const { url = 'http://127.0.0.1', headers: common = {} } = given;
  const request = (ask: Ask, said: readonly Message[]): Request => {
    const { agent = 'assistant', path = '', thread = 't', runId = `run-${counter}` } = ask;
    const input = {
      threadId: thread,
      runId,
      protocolVersion: '1.0',
      messages: said,
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
      ...(ask.resume === undefined ? {} : { resume: ask.resume }),
      ...ask.rest,
    };
    return new Request(`${url}/agents/${agent}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...common, ...ask.headers },
      body: JSON.stringify(input),
      ...(ask.signal === undefined ? {} : { signal: ask.signal }),
    });
  };
  const send: HostClient['send'] = async (method, path, body) => {
    const response = await fetch(
      new Request(`${url}${path}`, {
        method,
        headers: {
          ...common,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  const messagesOf = ({ say, messages = [], messageId }: Ask): readonly Message[] => {
    counter += 1;
    if (say === undefined) return messages;
    return [...messages, { id: messageId ?? `said-${counter}`, role: 'user', content: say }];
  };
  const open = async (ask: Ask = {}) => openStream(await fetch(request(ask, messagesOf(ask))));
  return {
    send,
    get: (path) => send('GET', path),
    post: (path, body = {}) => send('POST', path, body),
    open,
    async watch(thread, after) {
      const headers = { ...common, ...(after === undefined ? {} : { 'last-event-id': String(after) }) };
      return openStream(await fetch(new Request(`${url}/threads/${thread}/events`, { headers })));
    },
    async run(ask = {}) {
      const said = messagesOf(ask);
      const stream = openStream(await fetch(request(ask, said)));
      const { status } = stream.response;
      if (status !== 200) {
        const body = (await stream.response.json()) as { error: { code: string; message: string } };
        return { ...summarize([], []), status, error: body.error };
      }
      return { ...summarize(await stream.rest(), said), status };
    },
  };
}

/** The result of a verified stream. */
export function summarize(frames: readonly Frame[], messages: readonly Message[]): Told {
  const verifier = createVerifier();
  const applier = createApplier({ messages, state: {} });
  const expand = createChunkExpander();
  let outcome = '';
  let interrupts: readonly Interrupt[] = [];
  let error: Told['error'];
  for (const event of frames.flatMap((frame) => expand(frame.event))) {
    verifier.check(event);
    applier.apply(event);
    if (event.type === EventType.RUN_FINISHED) {
      outcome = event.outcome?.type ?? 'success';
      interrupts = interruptsOf(event);
      error = undefined;
    }
    if (event.type === EventType.RUN_ERROR) error = event;
  }
  if (frames.length > 0) verifier.end();
  return {
    status: 200,
    frames,
    types: frames.map(({ event }) => event.type),
    outcome,
    interrupts,
    error,
    messages: applier.messages,
    state: applier.state,
  };
}

/** Reads frames from a response, and checks the rules of SSE for hosts. */
export function openStream(response: Response): OpenStream {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  const ready: Frame[] = [];
  let text = '';
  let isOver = false;
  const next = async (): Promise<Frame | undefined> => {
    for (;;) {
      const frame = ready.shift();
      if (frame !== undefined) return frame;
      if (isOver || response.body === null) return undefined;
      reader ??= response.body.getReader();
      const { done, value } = await reader.read();
      if (done) isOver = true;
      text += decoder.decode(value, { stream: !done });
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const read = toFrame(part);
        if (read !== undefined) ready.push(read);
      }
    }
  };
  const rest = async () => {
    const frames: Frame[] = [];
    for (let frame = await next(); frame !== undefined; frame = await next()) frames.push(frame);
    return frames;
  };
  return {
    response,
    next,
    rest,
    async until(type) {
      const frames: Frame[] = [];
      for (;;) {
        const frame = await next();
        if (frame === undefined) throw new Error(`The stream ended before ${type}.`);
        frames.push(frame);
        const seen: string = frame.event.type;
        if (seen === type) return frames;
      }
    },
    async close() {
      await (reader ?? response.body)?.cancel();
    },
  };
}

function toFrame(part: string): Frame | undefined {
  let id: number | undefined;
  let event: AgentStreamEvent | undefined;
  for (const line of part.split('\n')) {
    if (line.startsWith('id: ')) id = Number(line.slice(4));
    else if (line.startsWith('data: ')) event = JSON.parse(line.slice(6)) as AgentStreamEvent;
    else if (line.includes('\r')) throw new Error('A frame has a carriage return.');
  }
  if (event === undefined) return undefined;
  return id === undefined ? { event } : { id, event };
}

export const approve = (interrupt: Interrupt | undefined, payload: object = {}): ResumeEntry => ({
  interruptId: interrupt?.id ?? '',
  status: 'resolved',
  payload: { approved: true, ...payload },
});

export const answer = (interrupt: Interrupt | undefined, payload: unknown): ResumeEntry => ({
  interruptId: interrupt?.id ?? '',
  status: 'resolved',
  payload,
});

export const cancel = (interrupt: Interrupt | undefined): ResumeEntry => ({
  interruptId: interrupt?.id ?? '',
  status: 'cancelled',
});

/** A promise that a test resolves. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Waits until a condition holds. */
export async function eventually(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}
