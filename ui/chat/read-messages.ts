import type { Message } from '../../src/client/index.ts';
import { offersIn, textOf } from '../../src/elements/index.ts';

/** The suggestions in the last message of the agent: known phrases, and lines that look like one. */
export function suggestionsIn(messages: readonly Message[], known: readonly string[]): readonly string[] {
  const last = messages.at(-1);
  const offers = last?.role === 'assistant' ? offersIn(textOf(last)) : [];
  return offers.filter((text) => (known.length > 0 ? known.includes(text) : !/[.!?:]$/.test(text)));
}

/** The tool call of an interrupt, if the conversation has it. */
export function callOf(
  messages: readonly Message[],
  toolCallId: string | undefined,
): { readonly functionName: string; readonly functionArguments: unknown } | undefined {
  if (toolCallId === undefined) return undefined;
  for (const message of messages) {
    const call =
      message.role === 'assistant' ? message.toolCalls?.find(({ id }) => id === toolCallId) : undefined;
    if (call !== undefined)
      return { functionName: call.function.name, functionArguments: parse(call.function.arguments) };
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
