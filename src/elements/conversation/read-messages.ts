import { isRecord } from '../../core/index.ts';
import type { Message } from '../../protocol/index.ts';
import { toWords } from '../base/words.ts';
import { parse } from '../interrupt/show-value.ts';
import { offersIn, textOf } from './message-text.ts';
import type { InterruptEntry } from './records.ts';
import { callTitle } from './show-tool-call.ts';
import { hadEffect } from './tool-call-state.ts';

/** The suggestions in the last message of the agent: known phrases, and lines that look like one. */
export function suggestionsIn(messages: readonly Message[], known: readonly string[]): readonly string[] {
  const last = messages.at(-1);
  const offers = last?.role === 'assistant' ? offersIn(textOf(last)) : [];
  return offers.filter((text) => (known.length > 0 ? known.includes(text) : !/[.!?:]$/.test(text)));
}

/** The calls since the last message of the user that may have changed something, each with its arguments in a few words. */
export function callsMade(
  messages: readonly Message[],
  records: readonly InterruptEntry[],
): readonly string[] {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const results = new Map(
    since.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message]] : [])),
  );
  return since.flatMap((message) => {
    if (message.role !== 'assistant') return [];
    return (message.toolCalls ?? []).flatMap(({ id, function: { name, arguments: args } }) => {
      const result = results.get(id);
      const own = records.filter(({ interrupt }) => interrupt.toolCallId === id);
      if (!hadEffect(result, own)) return [];
      const title = callTitle({ name }, result, own);
      return [title === toWords(name) ? `${title} ${shortArguments(args)}` : title];
    });
  });
}

/** The interrupts that grants spared since the last message of the user. */
export function sparedInterrupts(messages: readonly Message[]): readonly string[] {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  return since.flatMap(({ role, metadata }) => {
    const grant = role === 'tool' ? metadata?.['grant'] : undefined;
    const id = isRecord(grant) ? grant['interruptId'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

const LONGEST = 80;

function shortArguments(text: string): string {
  const args = parse(text);
  if (typeof args !== 'object' || args === null) return '';
  const values = Object.entries(args).map(
    ([name, value]) =>
      `${toWords(name).toLowerCase()} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const all = values.join(', ');
  return all === '' ? '' : `(${all.length > LONGEST ? `${all.slice(0, LONGEST)} …` : all})`;
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
