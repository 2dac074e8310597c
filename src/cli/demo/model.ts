import { isRecord } from '../../core/index.ts';
import type { ChatModel, ModelPart, ModelRequest } from '../../engine/index.ts';
import type { Message } from '../../protocol/index.ts';
import { callsFor, PHRASES } from './phrases.ts';
import { dollars } from './tools.ts';

/** A model without key and network: it maps phrases to tool calls and results to sentences. */
export function demoModel(newId: () => string): ChatModel {
  return {
    provider: 'holdpoint',
    model: 'demo',
    async *stream({ messages }: ModelRequest): AsyncIterable<ModelPart> {
      const results = resultsSinceUser(messages);
      if (results.length > 0) {
        yield* say(describeResults(results));
        return;
      }
      const text = lastUserText(messages);
      const calls = callsFor(text);
      if (calls === undefined) {
        yield* say(`I know these phrases:\n${PHRASES.map(({ example }) => `- ${example}`).join('\n')}`);
        return;
      }
      for (const { name, input } of calls) {
        yield { type: 'tool-call', callId: newId(), name, input: JSON.stringify(input) };
      }
      yield { type: 'finish', reason: 'tool-calls' };
    },
  };
}

function* say(text: string): Generator<ModelPart> {
  for (const word of text.split(/(?<=\s)/)) yield { type: 'text', delta: word };
  yield { type: 'finish', reason: 'stop' };
}

function lastUserText(messages: readonly Message[]): string {
  const message = messages.findLast(({ role }) => role === 'user');
  if (message?.role !== 'user') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
}

/** The tool results since the last user message. */
function resultsSinceUser(messages: readonly Message[]): readonly string[] {
  const from = messages.findLastIndex(({ role }) => role === 'user');
  return messages
    .slice(from + 1)
    .flatMap((message) =>
      message.role === 'tool' && typeof message.content === 'string' ? [message.content] : [],
    );
}

function describeResults(results: readonly string[]): string {
  return results.length === 1
    ? describe(results[0] ?? '')
    : results.map((result) => `- ${describe(result)}`).join('\n');
}

/** A tool result as a sentence, or as JSON. */
function describe(result: string): string {
  const value = parsed(result);
  if (!isRecord(value)) return tellText(result);
  const { status, balance, sent, city, sky, celsius, message } = value;
  if (typeof message === 'string') return message;
  if (status === 'DONE' && typeof balance === 'number')
    return `Sent. The balance is ${dollars(balance * 100)}.`;
  if (status === 'SENT') return `The e-mail to ${String(value['to'])} is on its way.`;
  if (typeof balance === 'number') return `The balance is ${dollars(balance * 100)}.`;
  if (typeof city === 'string') return `It is ${String(sky)} in ${city}, ${String(celsius)} °C.`;
  if (Array.isArray(sent)) {
    const lines = sent.flatMap((email: unknown) =>
      isRecord(email) ? [`- to ${String(email['to'])}: ${String(email['body'])}`] : [],
    );
    return lines.length === 0 ? 'Nothing was sent yet.' : `Sent so far:\n${lines.join('\n')}`;
  }
  return `Done: ${result}`;
}

/** A result that is a sentence for the model, as a sentence for the user. */
function tellText(result: string): string {
  if (result.startsWith('Tool call invocation rejected.')) {
    const reason = result.slice('Tool call invocation rejected.'.length).trim();
    return `You rejected it, so nothing was done.${reason === '' ? '' : ` Your reason: ${reason}`}`;
  }
  return result.startsWith('Cancelled:') ? 'The request was cancelled, so nothing was done.' : result;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
