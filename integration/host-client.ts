/** A plain client of a host process. It knows nothing between two calls, so that every check is the host's own. */
import type { AgentStreamEvent, ContentPart, Interrupt, ResumeEntry } from '../src/protocol/index.ts';
import { createVerifier, EventType, interruptsOf } from '../src/protocol/index.ts';

export interface RunResult {
  readonly outcome: string;
  readonly interrupts: readonly Interrupt[];
  /** The code of a RUN_ERROR. */
  readonly error: string | undefined;
  /** What the agent said, and the results of its calls. */
  readonly said: string;
  readonly events: readonly AgentStreamEvent[];
}

export interface HostClient {
  run(
    thread: string,
    input: { readonly say?: string | readonly ContentPart[]; readonly resume?: readonly ResumeEntry[] },
  ): Promise<RunResult>;
  connect(thread: string): Promise<RunResult>;
  /** The answer as a person gives it in the inbox: the status of the response and its body. */
  request(method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ status: number; body: Json }>;
  /** The open interrupts of a thread as soon as there is one, from the live list of the inbox. */
  nextInterrupts(thread: string): Promise<readonly Interrupt[]>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- scenarios read what came
export type Json = any;

/** Milliseconds until no interrupt is expected any more. */
const NEXT_MS = 30_000;

let counter = 0;

export function hostClient(url: string, agent: string, scope: string): HostClient {
  const headers = { authorization: scope, 'content-type': 'application/json' };
  const post = async (path: string, thread: string, input: Parameters<HostClient['run']>[1]) => {
    counter += 1;
    const { say, resume } = input;
    const response = await fetch(`${url}/agents/${agent}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        threadId: thread,
        runId: `run-${process.pid}-${counter}`,
        messages:
          say === undefined ? [] : [{ id: `message-${process.pid}-${counter}`, role: 'user', content: say }],
        tools: [],
        context: [],
        state: {},
        forwardedProps: {},
        protocolVersion: '1.0',
        ...(resume === undefined ? {} : { resume }),
      }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    return summarize(eventsOf(text));
  };
  return {
    run: (thread, input) => post('', thread, input),
    connect: (thread) => post('/connect', thread, {}),
    async request(method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    async nextInterrupts(thread) {
      const response = await fetch(`${url}/interrupts/events?thread=${encodeURIComponent(thread)}`, {
        headers,
        signal: AbortSignal.timeout(NEXT_MS),
      });
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      const decoder = new TextDecoder();
      let text = '';
      for await (const bytes of response.body ?? []) {
        text += decoder.decode(bytes, { stream: true });
        const end = text.lastIndexOf('\n');
        for (const line of text.slice(0, Math.max(end, 0)).split('\n')) {
          if (!line.startsWith('data: ')) continue;
          const { interrupts } = JSON.parse(line.slice(6)) as { interrupts: { interrupt: Interrupt }[] };
          if (interrupts.length > 0) return interrupts.map(({ interrupt }) => interrupt);
        }
        text = text.slice(end + 1);
      }
      throw new Error('The live list of the inbox ended.');
    },
  };
}

function eventsOf(text: string): AgentStreamEvent[] {
  const data = text.split('\n').filter((line) => line.startsWith('data: '));
  return data.map((line) => JSON.parse(line.slice(6)) as AgentStreamEvent);
}

function summarize(events: readonly AgentStreamEvent[]): RunResult {
  const verifier = createVerifier();
  let outcome = '';
  let interrupts: readonly Interrupt[] = [];
  let error: string | undefined;
  const said: string[] = [];
  for (const event of events) {
    verifier.check(event);
    if (event.type === EventType.TEXT_MESSAGE_CONTENT) said.push(event.delta);
    if (event.type === EventType.TOOL_CALL_RESULT) said.push(`[${String(event.content)}]`);
    if (event.type === EventType.RUN_ERROR) error = `${event.code}: ${event.message}`;
    if (event.type === EventType.RUN_FINISHED) {
      outcome = event.outcome?.type ?? 'success';
      interrupts = interruptsOf(event);
    }
  }
  return { outcome, interrupts, error, said: said.join(''), events };
}
