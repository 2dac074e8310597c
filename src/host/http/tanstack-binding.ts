import { defined, digestJson } from '../../core/index.ts';
import type { AgentStreamEvent, Interrupt } from '../../protocol/index.ts';
import { EventType } from '../../protocol/index.ts';

/** The member of the metadata in which clients of TanStack AI look for what they may answer. */
const BINDING = 'tanstack:interruptBinding';

/**
 * An event with bound interrupts: clients of TanStack AI answer an interrupt only if its metadata name its run and the digest of
 * its response schema.
 */
export function withBindings(event: AgentStreamEvent): AgentStreamEvent {
  if (event.type !== EventType.RUN_FINISHED || event.outcome?.type !== 'interrupt') return event;
  const interrupts = event.outcome.interrupts.map((interrupt) => bind(interrupt, event.runId));
  return { ...event, outcome: { ...event.outcome, interrupts } };
}

function bind(interrupt: Interrupt, interruptedRunId: string): Interrupt {
  const { id: interruptId, responseSchema, expiresAt, metadata } = interrupt;
  const responseSchemaHash =
    responseSchema === undefined ? undefined : `sha256:${digestJson(responseSchema)}`;
  const bound = { v: 1, kind: 'generic', interruptId, interruptedRunId, generation: 0 };
  const binding = { ...bound, ...defined({ responseSchemaHash, expiresAt }) };
  return { ...interrupt, metadata: { ...metadata, [BINDING]: binding } };
}
