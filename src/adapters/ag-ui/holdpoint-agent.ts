import type { Interrupt, Message } from '../../protocol/index.ts';
import { connectUrl } from './from-ag-ui.ts';
import type { HttpAgentLike } from './sdk.ts';

/**
 * Makes an agent for a page of CopilotKit or assistant-ui that gets its messages and open interrupts back after a reload. It
 * extends the `HttpAgent` of the page, of any version, with `connect`, which loads the thread from `<url>/connect`.
 *
 * @example
 * ```ts
 * import { HttpAgent } from '@ag-ui/client';
 * import { holdpointAgent } from 'holdpoint/ag-ui';
 *
 * const HoldpointAgent = holdpointAgent(HttpAgent);
 * const agent = new HoldpointAgent({ url: '/agents/assistant', threadId: 't1' });
 * await agent.connectAgent();
 * console.log(agent.messages, agent.pendingInterrupts);
 * ```
 */
export function holdpointAgent<Class extends new (config: never) => object>(HttpAgent: Class): Class {
  const Parent = HttpAgent as unknown as new (config: unknown) => HttpAgentLike;
  class HoldpointAgent extends Parent {
    connect(input: unknown): unknown {
      // Some versions read `url` at once and some when they send the request, so `run` gets an agent with the other URL.
      const connecting: object = Object.create(this, { url: { value: connectUrl(this.url) } });
      return super.run.call(connecting as this, input);
    }

    override async connectAgent(...given: readonly unknown[]): Promise<unknown> {
      // An agent with pending interrupts refuses to run without answers.
      this.pendingInterrupts = [];
      const result = await super.connectAgent(...given);
      this.messages = withInterrupts(this.messages, this.pendingInterrupts);
      return result;
    }
  }
  return HoldpointAgent as unknown as Class;
}

/** The messages with the interrupts in the metadata of the last assistant message, where `fromAgUiMessages` of assistant-ui looks for them. */
function withInterrupts(messages: readonly Message[], interrupts: readonly Interrupt[]): readonly Message[] {
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const last = messages[index];
  if (last === undefined || interrupts.length === 0) return messages;
  const metadata = { ...last.metadata, custom: { agui: { interrupts } } };
  return messages.with(index, { ...last, metadata });
}
