import type { JsonValue } from '../../core/index.ts';
import type { Agent, AgentContext } from '../../engine/index.ts';
import type { AgentStreamEvent, ContentPart, Interrupt, Message, ResumeEntry } from '../../protocol/index.ts';
import { createApplier, createVerifier, EventType, interruptsOf } from '../../protocol/index.ts';

export interface ThreadRun {
  /** The outcome; the code and the message of an error. */
  readonly outcome: string;
  readonly interrupts: readonly Interrupt[];
  readonly messages: readonly Message[];
  readonly events: readonly AgentStreamEvent[];
}

/** A message with a text, a picture as data and a document by its address. */
export const WITH_FILES: ContentPart[] = [
  { type: 'text', text: 'Look.' },
  { type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } },
  {
    type: 'document',
    source: { type: 'url', value: 'https://example.com/a.pdf', mimeType: 'application/pdf' },
    metadata: { filename: 'a.pdf' },
  },
];

/** A message with a file that only its provider has. */
export const AT_A_PROVIDER: ContentPart[] = [
  { type: 'text', text: 'Look.' },
  { type: 'image', source: { type: 'file', value: 'file-1', provider: 'elsewhere' } },
];

/** One thread with its messages and its memory, as a host keeps them; every run is verified. */
export function runOnThread(agent: Agent) {
  let messages: readonly Message[] = [];
  let remembered: JsonValue | undefined;
  let count = 0;
  const memory = {
    read: async () => remembered,
    write: async (value: JsonValue) => void (remembered = value),
  };
  const run = async (resume: readonly ResumeEntry[] = [], context: AgentContext = {}): Promise<ThreadRun> => {
    count += 1;
    const input = {
      threadId: 't',
      runId: `run-${count}`,
      state: {},
      tools: [],
      context: [],
      forwardedProps: {},
    };
    const given = {
      ...input,
      messages: [...messages],
      ...(resume.length > 0 ? { resume: [...resume] } : {}),
    };
    const verifier = createVerifier();
    const applier = createApplier({ messages: [...messages], state: {} });
    const events: AgentStreamEvent[] = [];
    for await (const event of agent.run(given, {
      principal: { id: 'ann', scope: 'a' },
      memory,
      ...context,
    })) {
      verifier.check(event);
      applier.apply(event);
      events.push(event);
    }
    verifier.end();
    messages = applier.messages;
    const last = events.at(-1);
    const finished = last?.type === EventType.RUN_FINISHED ? (last.outcome?.type ?? 'success') : 'error';
    const outcome = last?.type === EventType.RUN_ERROR ? `${last.code}: ${last.message}` : finished;
    const interrupts = last?.type === EventType.RUN_FINISHED ? interruptsOf(last) : [];
    return { outcome, interrupts, messages, events };
  };
  return {
    run,
    say(
      content: string | ContentPart[],
      resume: readonly ResumeEntry[] = [],
      context: AgentContext = {},
    ): Promise<ThreadRun> {
      messages = [...messages, { id: `said-${count}`, role: 'user', content }];
      return run(resume, context);
    },
  };
}
