/** Replays the events of a run in the official client and expects that it applies all of them. */
import { HttpAgent } from '@ag-ui/client';
import { expect, vi } from 'vitest';
import type { AgentStreamEvent, Message, RunAgentInput } from '../../protocol/index.ts';
import { createSseEncoder } from '../../protocol/index.ts';

const complaints: unknown[][] = [];
const CLIENT_MESSAGE = /^(AG-UI|TEXT_|TOOL_|REASONING_|ACTIVITY_|Failed to apply|Subscriber)/;

// The client reports events that it cannot apply on the console; the servers of a test write there too.
for (const level of ['warn', 'error'] as const) {
  vi.spyOn(console, level).mockImplementation((...said: unknown[]) => {
    if (CLIENT_MESSAGE.test(String(said[0]))) complaints.push(said);
  });
}

export async function replayOfficially(
  input: RunAgentInput,
  events: readonly AgentStreamEvent[],
  expected: { readonly messages: readonly Message[]; readonly state: unknown },
): Promise<void> {
  const encoder = createSseEncoder();
  const body = events.map((event, index) => encoder.encode({ ...event }, index)).join('');
  const headers = { 'content-type': 'text/event-stream' };
  const client = new HttpAgent({
    url: 'http://agent',
    threadId: input.threadId,
    initialMessages: structuredClone(input.messages),
    initialState: structuredClone(input.state) as object,
    fetch: async () => new Response(body, { headers }),
  });
  await client.runAgent({
    runId: input.runId,
    ...(input.resume === undefined ? {} : { resume: input.resume }),
  });
  expect(complaints.splice(0)).toEqual([]);
  expect(client.messages).toEqual(expected.messages);
  expect(client.state).toEqual(expected.state);
}
