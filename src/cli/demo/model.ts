import type { UnknownRecord } from '../../core/index.ts';
import { isRecord, jsonOrText } from '../../core/index.ts';
import type { ChatModel, ModelPart, ModelRequest } from '../../engine/index.ts';
import type { Message } from '../../protocol/index.ts';
import type { Phrase } from './phrases.ts';
import { callsFor, PHRASES, ROLE_PHRASES } from './phrases.ts';
import { asWritten, dollars } from './tools.ts';

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
        yield* say(
          `I know these phrases:\n${listOf(PHRASES)}\n\nThese wait for another person:\n${listOf(ROLE_PHRASES)}`,
        );
        return;
      }
      if (typeof calls === 'string') {
        yield* say(calls);
        return;
      }
      for (const { name, input } of calls) {
        yield { type: 'tool-call', callId: newId(), name, input: JSON.stringify(input) };
      }
      yield { type: 'finish', reason: 'tool-calls' };
    },
  };
}

function listOf(phrases: readonly Phrase[]): string {
  return phrases.map(({ example }) => `- ${example}`).join('\n');
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

/** A tool result, and the name of its tool. */
interface CallResult {
  readonly tool: string | undefined;
  readonly text: string;
}

/** The tool results since the last user message. */
function resultsSinceUser(messages: readonly Message[]): readonly CallResult[] {
  const recent = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const calls = recent.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return recent.flatMap((message) => {
    if (message.role !== 'tool' || typeof message.content !== 'string') return [];
    const tool = calls.find(({ id }) => id === message.toolCallId)?.function.name;
    return [{ tool, text: message.content }];
  });
}

function describeResults(results: readonly CallResult[]): string {
  const [first] = results;
  return first !== undefined && results.length === 1
    ? describe(first)
    : results.map((result) => `- ${aboutTool(result)}${describe(result)}`).join('\n');
}

/** "Transfer money: ", where a list would not say which call was rejected or cancelled. */
function aboutTool({ tool, text }: CallResult): string {
  return tool !== undefined && /^"?(?:Tool call invocation rejected|Cancelled)/.test(text)
    ? `${inWords(tool)}: `
    : '';
}

/** A tool result as a sentence, or as a list of its members. */
function describe({ tool, text }: CallResult): string {
  const value = jsonOrText(text);
  if (value === null) return 'There is no result.';
  if (!isRecord(value)) return tellText(text, tool);
  const { status, balance, sent, city, sky, celsius, message } = value;
  if (typeof message === 'string') return asWritten(message);
  if (status === 'DONE' && typeof balance === 'number')
    return `Sent. The balance is ${dollars(balance * 100)}.`;
  if (status === 'SENT') return `The e-mail to ${asWritten(String(value['to']))} is on its way.`;
  if (typeof balance === 'number') return `The balance is ${dollars(balance * 100)}.`;
  if (typeof city === 'string') return `It is ${String(sky)} in ${asWritten(city)}, ${String(celsius)} °C.`;
  if (Array.isArray(sent)) {
    const lines = sent.flatMap((email: unknown) =>
      isRecord(email) ? [`- to ${asWritten(String(email['to']))}: ${asWritten(String(email['body']))}`] : [],
    );
    return lines.length === 0 ? 'Nothing was sent yet.' : `Sent so far:\n${lines.join('\n')}`;
  }
  return ['Done.', ...membersOf(value)].join('\n');
}

/** The members of a result as lines of a list; those of a nested object in its place. */
function membersOf(value: UnknownRecord): readonly string[] {
  return Object.entries(value).flatMap(([name, member]) =>
    isRecord(member) ? membersOf(member) : [`- ${inWords(name)}: ${valueInWords(member)}`],
  );
}

/** `fileId` as "File id". */
function inWords(name: string): string {
  const words = name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function valueInWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null || value === '') return 'nothing';
  return asWritten(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A result that is a sentence for the model, as a sentence for the user. */
function tellText(result: string, tool: string | undefined): string {
  if (result.startsWith('Tool call invocation rejected.')) {
    const reason = result.slice('Tool call invocation rejected.'.length).trim();
    return `It was rejected, so nothing was done.${reason === '' ? '' : ` The reason: ${asWritten(reason)}`}`;
  }
  if (result.startsWith('Cancelled')) return 'The request was cancelled, so nothing was done.';
  const failure = `${tool} failed: `;
  if (result.startsWith(failure)) return asWritten(result.slice(failure.length));
  return tool === 'askQuestion' ? `You answered: ${asWritten(result)}` : asWritten(result);
}
