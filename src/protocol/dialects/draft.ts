import type { Interrupt, RunAgentInput, RunFinishedEvent } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { Issue, UnknownRecord } from '../../core/index.ts';
import { defined, invalidInput, isRecord, kindOf, ownMember } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import { approvalOf, functionDetails, payloadOf } from '../interrupts/approval.ts';
import { carryInPayload, fromDraftInterrupt } from '../interrupts/draft-interrupt.ts';
import { InterruptReason, UNNAMED_INTERRUPT } from '../interrupts/interrupt.ts';
import type { Dialect, InputContext, WireEvent } from './dialect.ts';
import type { StreamMemory } from './stream-memory.ts';
import { findCall, rememberCalls } from './stream-memory.ts';
import { decodeEvent as decodeV1Event, decodeInput as decodeV1Input } from './v1.ts';

/** The proposal behind AG-UI 1.0, with one interrupt and one answer at a time. */
export const draft: Dialect = {
  name: 'draft',
  ownsEvent,
  ownsInput,
  decodeEvent,
  encodeEvent,
  decodeInput,
  encodeInput,
};

/** True for an end whose outcome is a string, or that has an `interrupt` and no outcome. */
export function ownsEvent(value: UnknownRecord): boolean {
  if (value['type'] !== EventType.RUN_FINISHED || isRecord(value['outcome'])) return false;
  return typeof value['outcome'] === 'string' || isRecord(value['interrupt']);
}

/**
 * Reads the draft's RUN_FINISHED: `outcome` is a string, compared without case; without it, an `interrupt` means
 * interrupted, and otherwise success. A run that says it was interrupted is never a success, even without an
 * interrupt.
 */
export function decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[] {
  if (value['type'] !== EventType.RUN_FINISHED || isRecord(value['outcome']))
    return decodeV1Event(value, memory);
  const { outcome, interrupt, pendingToolCallIds, ...rest } = value;
  const word = outcomeWord(outcome, interrupt);
  switch (word) {
    case undefined:
      return decodeV1Event(rest, memory);
    case 'success': {
      const success = { type: 'success', ...defined({ pendingToolCallIds }) };
      return decodeV1Event({ ...rest, outcome: success }, memory);
    }
    case 'cancelled':
      return decodeV1Event({ ...rest, outcome: { type: 'cancelled' } }, memory);
    case 'interrupt':
      return decodeV1Event(
        { ...rest, outcome: { type: 'interrupt', interrupts: [toInterrupt(interrupt)] } },
        memory,
      );
    default:
      throw invalidInput('RUN_FINISHED event', [
        { pointer: '/outcome', message: `expected "success" or "interrupt", found ${JSON.stringify(word)}` },
      ]);
  }
}

function outcomeWord(outcome: unknown, interrupt: unknown): string | undefined {
  if (outcome === undefined || outcome === null) {
    return interrupt === undefined || interrupt === null ? undefined : 'interrupt';
  }
  if (typeof outcome === 'string') return outcome.toLowerCase();
  throw invalidInput('RUN_FINISHED event', [
    { pointer: '/outcome', message: `expected a word or an object, found ${kindOf(outcome)}` },
  ]);
}

function toInterrupt(value: unknown): UnknownRecord {
  if (value === undefined || value === null) {
    return { id: UNNAMED_INTERRUPT, reason: InterruptReason.InputRequired };
  }
  if (!isRecord(value)) {
    throw invalidInput('RUN_FINISHED event', [
      { pointer: '/interrupt', message: `expected an object, found ${kindOf(value)}` },
    ]);
  }
  return { ...fromDraftInterrupt(value) };
}

/** Writes one interrupt, because the draft has no list: the first of several; the rest follow after its answer. */
function encodeEvent(event: AgentStreamEvent, memory: StreamMemory): WireEvent[] {
  rememberCalls(event, memory);
  return [event.type === EventType.RUN_FINISHED ? encodeFinished(event, memory) : event];
}

function encodeFinished(event: RunFinishedEvent, memory: StreamMemory): WireEvent {
  const { outcome, ...rest } = event;
  switch (outcome?.type) {
    case undefined:
      return rest;
    case 'interrupt': {
      const { result: _never, ...bare } = rest;
      const [first] = outcome.interrupts;
      const interrupt = first === undefined ? {} : encodeInterrupt(first, memory);
      return { ...bare, outcome: 'interrupt', interrupt };
    }
    case 'success': {
      const { pendingToolCallIds } = outcome;
      return { ...rest, outcome: 'success', ...defined({ pendingToolCallIds }) };
    }
    case 'cancelled':
      return { ...rest, outcome: 'cancelled' };
  }
}

/**
 * The draft has no members for the message, the response schema and the expiry: its payload carries them. Drops the other
 * members that 1.0 names and the draft does not; keeps members that neither names.
 */
function encodeInterrupt(interrupt: Interrupt, memory: StreamMemory): UnknownRecord {
  const { id, reason, message, toolCallId, responseSchema, expiresAt, metadata, subagentRunId, ...extra } =
    interrupt;
  void [toolCallId, metadata, subagentRunId];
  const own = draftPayload(interrupt, memory);
  // A payload that names a function asks for the plain approval by itself.
  const isImplied = functionDetails(own) !== undefined && isPlainApproval(responseSchema);
  const schema = isImplied ? undefined : responseSchema;
  const payload = carryInPayload(own, defined({ prompt: message, responseSchema: schema, expiresAt }));
  return { ...extra, ...defined({ id: id === UNNAMED_INTERRUPT ? undefined : id, reason, payload }) };
}

/** True for a response schema that offers `approved` and `reason` and nothing else. */
function isPlainApproval(schema: Interrupt['responseSchema']): boolean {
  const { type: _type, properties, required, ...others } = schema ?? {};
  const names = isRecord(properties) ? Object.keys(properties).toSorted().join() : '';
  const isRequired = Array.isArray(required) && required.join() === 'approved';
  return names === 'approved,reason' && isRequired && Object.keys(others).length === 0;
}

/**
 * The payload of an interrupt for dialects with one payload: its own, else the function to approve, else its
 * message and metadata; undefined without any of these.
 */
export function draftPayload(interrupt: Interrupt, memory: StreamMemory): unknown {
  const payload = payloadOf(interrupt);
  if (payload !== undefined) return payload;
  const approval = approvalOf(interrupt, (id) => findCall(id, memory));
  if (approval !== undefined) return { ...approval };
  const { message, metadata } = interrupt;
  if (message === undefined && metadata === undefined) return undefined;
  return { ...defined({ prompt: message }), ...metadata };
}

/** True for an input whose `resume` is one answer. */
function ownsInput(value: UnknownRecord): boolean {
  return isRecord(value['resume']);
}

/** Reads the draft's input: `resume` is one answer, and every member except the ids is optional. */
export function decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput {
  const { resume, messages, ...rest } = value;
  const input = { ...rest, messages: messages ?? [] };
  if (resume === undefined || resume === null) return decodeV1Input(input, context);
  if (!isRecord(resume)) return decodeV1Input({ ...input, resume }, context);
  return decodeV1Input({ ...input, resume: [toEntry(resume, value['threadId'])] }, context);
}

function toEntry(resume: UnknownRecord, threadId: unknown): UnknownRecord {
  const { threadId: repeated, interruptId, status, ...rest } = resume;
  const issues: Issue[] = [];
  if (interruptId !== undefined && interruptId !== null && typeof interruptId !== 'string') {
    issues.push({
      pointer: '/resume/interruptId',
      message: `expected a string, found ${kindOf(interruptId)}`,
    });
  }
  const state = status ?? 'resolved';
  if (state !== 'resolved' && state !== 'cancelled') {
    issues.push({ pointer: '/resume/status', message: 'expected "resolved" or "cancelled"' });
  }
  if (repeated !== undefined && repeated !== null && repeated !== threadId) {
    issues.push({ pointer: '/resume/threadId', message: 'expected the threadId of the input itself' });
  }
  if (issues.length > 0) throw invalidInput('run input', issues);
  return { ...rest, interruptId: interruptId ?? UNNAMED_INTERRUPT, status: state };
}

/**
 * Writes one answer; the draft has no metadata, so of that only `as` is sent. Throws `INPUT_INVALID` for several answers: the draft
 * carries one per run.
 */
function encodeInput(input: RunAgentInput): UnknownRecord {
  const { resume, ...rest } = input;
  const [answer, ...more] = resume ?? [];
  if (answer === undefined) return rest;
  if (more.length > 0) {
    throw invalidInput('run input', [
      { pointer: '/resume', message: 'the draft dialect carries one answer per run' },
    ]);
  }
  const { interruptId, status, payload, metadata = {}, ...extra } = answer;
  const as = ownMember(metadata, 'as');
  return {
    ...rest,
    resume: {
      ...extra,
      ...defined({
        interruptId: interruptId === UNNAMED_INTERRUPT ? undefined : interruptId,
        status: status === 'cancelled' ? status : undefined,
        payload,
        metadata: as === undefined ? undefined : { as },
      }),
    },
  };
}
