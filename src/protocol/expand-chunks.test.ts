import { transformChunks } from '@ag-ui/client';
import type { BaseEvent } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import * as fc from 'fast-check';
import { from, lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import { HoldpointError } from '../core/index.ts';
import type { AgentStreamEvent } from './events.ts';
import { arbitraryTouchingEvent } from './testing-support/arbitrary-streams.ts';
import { createChunkExpander } from './expand-chunks.ts';

async function official(events: readonly AgentStreamEvent[]): Promise<unknown[] | 'refused'> {
  try {
    const copies = structuredClone(events) as readonly BaseEvent[];
    return await lastValueFrom(from(copies).pipe(transformChunks(), toArray()), { defaultValue: [] });
  } catch {
    return 'refused';
  }
}

function ours(events: readonly AgentStreamEvent[]): unknown[] | 'refused' {
  const expand = createChunkExpander();
  try {
    return events.flatMap((event) => expand(event));
  } catch (error) {
    if (HoldpointError.is(error, 'INPUT_INVALID')) return 'refused';
    throw error;
  }
}

describe('createChunkExpander', () => {
  it('returns the events of the official client, and rejects the chunks that it rejects', async () => {
    let expanded = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryTouchingEvent({ chunks: true }), { maxLength: 12 }),
        async (events) => {
          const mine = ours(events);
          if (mine !== 'refused' && mine.length > events.length) expanded += 1;
          expect(mine).toEqual(await official(events));
        },
      ),
      { numRuns: runs(500) },
    );
    expect(expanded).toBeGreaterThan(runs(15));
  });

  it('expands a message and closes it when another event starts', () => {
    expect(
      ours([
        { type: EventType.TEXT_MESSAGE_CHUNK, messageId: 'm', delta: 'a' },
        { type: EventType.TEXT_MESSAGE_CHUNK, delta: 'b' },
        { type: EventType.TOOL_CALL_CHUNK, toolCallId: 'c', toolCallName: 'f', delta: '{}' },
        { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r' },
      ]),
    ).toMatchInlineSnapshot(`
      [
        {
          "messageId": "m",
          "role": "assistant",
          "type": "TEXT_MESSAGE_START",
        },
        {
          "delta": "a",
          "messageId": "m",
          "type": "TEXT_MESSAGE_CONTENT",
        },
        {
          "delta": "b",
          "messageId": "m",
          "type": "TEXT_MESSAGE_CONTENT",
        },
        {
          "messageId": "m",
          "type": "TEXT_MESSAGE_END",
        },
        {
          "toolCallId": "c",
          "toolCallName": "f",
          "type": "TOOL_CALL_START",
        },
        {
          "delta": "{}",
          "toolCallId": "c",
          "type": "TOOL_CALL_ARGS",
        },
        {
          "toolCallId": "c",
          "type": "TOOL_CALL_END",
        },
        {
          "runId": "r",
          "threadId": "t",
          "type": "RUN_FINISHED",
        },
      ]
    `);
  });
});
