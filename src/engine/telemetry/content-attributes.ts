import { defined, jsonOrText } from '../../core/index.ts';
import type { Message } from '../../protocol/index.ts';
import type { ModelPart, ModelRequest } from '../loop/chat-model.ts';
import type { TelemetryAttributes } from './telemetry.ts';
import { attributes } from './telemetry.ts';

/** A message in the form of the GenAI conventions. */
interface ConventionMessage {
  readonly role: string;
  readonly parts: readonly unknown[];
}

/** The input of a model, in the form of the GenAI conventions. */
export function inputContent({ messages, instructions }: ModelRequest): TelemetryAttributes {
  return attributes({
    'gen_ai.system_instructions':
      instructions === undefined ? undefined : jsonText([{ type: 'text', content: instructions }]),
    'gen_ai.input.messages': jsonText(messages.map(toConvention)),
  });
}

/** The output of a model, in the form of the GenAI conventions. */
export function outputContent(said: readonly ModelPart[], finishReason: string): TelemetryAttributes {
  const written = (type: 'text' | 'reasoning') => {
    const content = said.map((part) => (part.type === type ? part.delta : '')).join('');
    return content === '' ? [] : [{ type, content }];
  };
  const calls = said.flatMap((part) =>
    part.type === 'tool-call' ? [toolCallPart(part.callId, part.name, part.input)] : [],
  );
  const parts = [...written('reasoning'), ...written('text'), ...calls];
  return attributes({
    'gen_ai.output.messages': jsonText([{ role: 'assistant', parts, finish_reason: finishReason }]),
  });
}

/** A value as JSON text; never throws, because telemetry must not stop the work. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function toConvention(message: Message): ConventionMessage {
  switch (message.role) {
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, function: { name, arguments: input } }) =>
        toolCallPart(id, name, input),
      );
      return { role: 'assistant', parts: [...textParts(message.content), ...calls] };
    }
    case 'tool':
      return {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: message.toolCallId, response: message.content }],
      };
    case 'reasoning':
      return { role: 'assistant', parts: [{ type: 'reasoning', content: message.content }] };
    case 'activity':
      return { role: 'activity', parts: [{ type: message.activityType, content: message.content }] };
    case 'user':
      if (typeof message.content === 'string') return { role: 'user', parts: textParts(message.content) };
      return {
        role: 'user',
        parts: message.content.map((part) =>
          part.type === 'text' ? { type: 'text', content: part.text } : part,
        ),
      };
    case 'system':
    case 'developer':
      return { role: 'system', parts: textParts(message.content) };
  }
}

function textParts(content: string | undefined): readonly unknown[] {
  return content === undefined ? [] : [{ type: 'text', content }];
}

function toolCallPart(id: string | undefined, name: string, input: string): unknown {
  return { type: 'tool_call', ...defined({ id }), name, arguments: jsonOrText(input) };
}
