import type { JsonValue } from '../../core/index.ts';
import type { Agent } from '../../engine/index.ts';
import type { AgentStreamEvent, Interrupt, Message, ResumeEntry } from '../../protocol/index.ts';
import { createApplier, createVerifier, EventType, interruptsOf } from '../../protocol/index.ts';

export interface ThreadRun {
  readonly outcome: string;
  readonly interrupts: readonly Interrupt[];
  readonly messages: readonly Message[];
  readonly events: readonly AgentStreamEvent[];
}

/** One thread with its messages and its memory, as a host keeps them; every run is verified. */
export function runOnThread(agent: Agent) {
  let messages: readonly Message[] = [];
  let remembered: JsonValue | undefined;
  let count = 0;
  const memory = {
    read: async () => remembered,
    write: async (value: JsonValue) => void (remembered = value),
  };
  const run = async (resume: readonly ResumeEntry[] = []): Promise<ThreadRun> => {
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
    for await (const event of agent.run(given, { principal: { id: 'ann', scope: 'a' }, memory })) {
      verifier.check(event);
      applier.apply(event);
      events.push(event);
    }
    verifier.end();
    messages = applier.messages;
    const last = events.at(-1);
    const outcome = last?.type === EventType.RUN_FINISHED ? (last.outcome?.type ?? 'success') : 'error';
    const interrupts = last?.type === EventType.RUN_FINISHED ? interruptsOf(last) : [];
    return { outcome, interrupts, messages, events };
  };
  return {
    run,
    say(text: string): Promise<ThreadRun> {
      messages = [...messages, { id: `said-${count}`, role: 'user', content: text }];
      return run();
    },
  };
}
