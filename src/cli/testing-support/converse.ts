import { HttpAgent } from '@ag-ui/client';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';

/** How a run of the official client ended. */
export interface Turn {
  readonly interrupts: readonly Interrupt[];
  /** The content of the last message. */
  readonly text: unknown;
  /** The tool results of this run. */
  readonly results: readonly unknown[];
  /** The error of the run. */
  readonly refused?: { readonly code: string | undefined; readonly message: string };
}

/** A thread of the demo, over HTTP with the official client; `role` is a person to play. */
export function converse(
  url: string,
  threadId: string,
  role?: string,
): {
  say(content: string): Promise<Turn>;
  answer(...resume: ResumeEntry[]): Promise<Turn>;
} {
  const headers = role === undefined ? {} : { 'holdpoint-as': role };
  const agent = new HttpAgent({ url: `${url}/agents/demo`, threadId, headers });
  const turn = async (input: { resume?: ResumeEntry[] }): Promise<Turn> => {
    let interrupts: readonly Interrupt[] = [];
    const results: unknown[] = [];
    let refused: Pick<Turn, 'refused'> = {};
    await agent.runAgent(input, {
      onToolCallResultEvent: ({ event }) => void results.push(parsed(event.content)),
      onRunErrorEvent: ({ event: { code, message } }) => {
        refused = { refused: { code, message } };
      },
      onRunFinishedEvent: ({ event }) => {
        interrupts = event.outcome?.type === 'interrupt' ? event.outcome.interrupts : [];
      },
    });
    return { interrupts, text: agent.messages.at(-1)?.content, results, ...refused };
  };
  return {
    say(content) {
      agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
      return turn({});
    },
    answer: (...resume) => turn({ resume }),
  };
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
