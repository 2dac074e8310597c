import { expect, it } from 'vitest';
import { EventType } from '../../protocol/index.ts';
import { createEventEncoder } from './stream-response.ts';

const interrupt = {
  id: 'i',
  reason: 'tool_call',
  responseSchema: { type: 'object', required: ['approved'], properties: { approved: { type: 'boolean' } } },
  metadata: { own: 1 },
};
const event = {
  type: EventType.RUN_FINISHED as const,
  threadId: 't',
  runId: 'r',
  outcome: { type: 'interrupt' as const, interrupts: [interrupt] },
};

function written(reader: '0.0' | '1.0', dialect: '1.0' | 'command' = '1.0'): unknown {
  const [text] = createEventEncoder('sse', dialect, reader).encode([{ event }]);
  return JSON.parse(String(text).replace(/^data: /, ''));
}

it('writes the binding by which clients of TanStack AI answer into the metadata of an interrupt', () => {
  const binding = {
    v: 1,
    kind: 'generic',
    interruptId: 'i',
    interruptedRunId: 'r',
    generation: 0,
    responseSchemaHash: 'sha256:2669b42546471c1da2dfb50cca7a7dbae638203124bf1b1cdaf58a7ddf0de291',
  };
  const metadata = { own: 1, 'tanstack:interruptBinding': binding };
  expect(written('0.0')).toEqual({
    ...event,
    outcome: { type: 'interrupt', interrupts: [{ ...interrupt, metadata }] },
  });
});

it('writes no binding for a client of AG-UI 1.0', () => {
  expect(written('1.0')).toEqual(event);
});
