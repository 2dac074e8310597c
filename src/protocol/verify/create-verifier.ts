import type {
  RunFinishedEvent,
  StepFinishedEvent,
  StepStartedEvent,
  SubagentErrorEvent,
  SubagentFinishedEvent,
  SubagentStartedEvent,
  ToolCallStartEvent,
} from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import { HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events/index.ts';
import { interruptsOf } from '../interrupts/index.ts';
import type { OwnerSpace, Span, SpanKind } from './open-things.ts';
import { OWNER_SPACE, SPANS } from './open-things.ts';
import type { Owners } from './owners.ts';
import { createOwners } from './owners.ts';

/** Watches one stream, of a producer or for a consumer; chunk events are to be expanded first. */
export interface Verifier {
  /** Throws `INPUT_INVALID` with the rule that the event breaks. */
  check(event: AgentStreamEvent): void;
  /** Says that no more will come. Throws `RUN_LOST` when the run had not ended. */
  end(): void;
}

interface Run {
  readonly threadId: string;
  readonly runId: string;
  readonly open: Readonly<Record<SpanKind, Set<string>>>;
  /** Open steps by who started them. */
  readonly steps: Map<string | undefined, Set<string>>;
  readonly subagents: Set<string>;
  readonly closedSubagents: Set<string>;
  readonly owners: Owners;
}

/**
 * The life of a run as a state machine: RUN_STARTED (or RUN_ERROR) first, nothing after the end but another
 * run, everything closed before RUN_FINISHED, ids that match. `docs/protocol.md` lists where it is stricter
 * than `@ag-ui/client`.
 */
export function createVerifier(): Verifier {
  let phase: 'before' | 'running' | 'finished' | 'failed' = 'before';
  let run = createRun('', '');
  return {
    check(event) {
      if (phase === 'running') {
        if (event.type === EventType.RUN_STARTED) throw broken(event, 'the run before it is still active');
        checkInRun(event, run);
        if (event.type === EventType.RUN_FINISHED) phase = 'finished';
        if (event.type === EventType.RUN_ERROR) phase = 'failed';
        return;
      }
      if (event.type === EventType.RUN_STARTED) {
        run = createRun(event.threadId, event.runId);
        run.owners.seed(event.input?.messages ?? [], false);
        phase = 'running';
      } else if (event.type === EventType.RUN_ERROR && phase === 'before') {
        phase = 'failed';
      } else {
        throw broken(
          event,
          phase === 'before' ? 'the first event must be RUN_STARTED' : `the run has ${phase}`,
        );
      }
    },
    end() {
      if (phase === 'finished' || phase === 'failed') return;
      const where = phase === 'before' ? 'before its run began' : `in the middle of run ${run.runId}`;
      throw new HoldpointError('RUN_LOST', `The stream ended ${where}.`);
    },
  };
}

function createRun(threadId: string, runId: string): Run {
  return {
    threadId,
    runId,
    open: {
      'text message': new Set(),
      'tool call': new Set(),
      'reasoning span': new Set(),
      'reasoning message': new Set(),
    },
    steps: new Map(),
    subagents: new Set(),
    closedSubagents: new Set(),
    owners: createOwners(),
  };
}

function checkInRun(event: AgentStreamEvent, run: Run): void {
  const span = SPANS.get(event.type);
  if (span !== undefined) {
    checkSpan(event, span, run);
    return;
  }
  switch (event.type) {
    case EventType.STEP_STARTED:
    case EventType.STEP_FINISHED:
      checkStep(event, run);
      break;
    case EventType.SUBAGENT_STARTED:
      checkSubagentStart(event, run);
      break;
    case EventType.SUBAGENT_FINISHED:
    case EventType.SUBAGENT_ERROR:
      checkSubagentEnd(event, run);
      break;
    case EventType.ACTIVITY_SNAPSHOT:
      if (event.replace !== false || !run.owners.has('activity', event.messageId)) {
        run.owners.set('activity', event.messageId, event.subagentRunId);
      }
      break;
    case EventType.ACTIVITY_DELTA:
      checkOwner(event, { space: 'activity', id: event.messageId }, run);
      break;
    case EventType.TOOL_CALL_RESULT:
      run.owners.set('message', event.messageId, event.subagentRunId);
      break;
    case EventType.REASONING_ENCRYPTED_VALUE:
      checkOwner(event, encryptedEntity(event.subtype, event.entityId, run), run);
      break;
    case EventType.MESSAGES_SNAPSHOT:
      run.owners.seed(event.messages, true);
      break;
    case EventType.RUN_FINISHED:
      checkFinish(event, run);
      break;
    case EventType.TEXT_MESSAGE_CHUNK:
    case EventType.TOOL_CALL_CHUNK:
    case EventType.REASONING_MESSAGE_CHUNK:
      throw broken(event, 'chunks are expanded before they are verified');
    default:
      break;
  }
}

function checkSpan(event: AgentStreamEvent, span: Span, run: Run): void {
  const id = span.id in event ? String((event as unknown as Record<string, unknown>)[span.id]) : '';
  const open = run.open[span.kind];
  const space = OWNER_SPACE[span.kind];
  if (span.does === 'open') {
    if (open.has(id)) throw broken(event, `the ${span.kind} ${id} is already open`);
    const owner = event.type === EventType.TOOL_CALL_START ? callOwner(event, run) : tagOf(event);
    checkOwner(event, { space, id }, run);
    open.add(id);
    if (!run.owners.has(space, id)) run.owners.set(space, id, owner);
    return;
  }
  if (!open.has(id)) throw broken(event, `no ${span.kind} ${id} is open`);
  checkOwner(event, { space, id }, run);
  if (span.does === 'close') open.delete(id);
}

/** A call belongs to the message that carries it. */
function callOwner(event: ToolCallStartEvent, run: Run): string | undefined {
  const { parentMessageId, toolCallId, subagentRunId } = event;
  if (parentMessageId === undefined || !run.owners.has('message', parentMessageId)) return subagentRunId;
  const parent = run.owners.get('message', parentMessageId);
  if (subagentRunId !== undefined && subagentRunId !== parent) {
    throw broken(event, `its message ${parentMessageId} belongs to ${parent ?? 'the agent itself'}`);
  }
  const known = run.owners.has('tool call', toolCallId);
  if (subagentRunId === undefined && known && run.owners.get('tool call', toolCallId) !== parent) {
    throw broken(
      event,
      `the call ${toolCallId} and its message ${parentMessageId} belong to different agents`,
    );
  }
  return parent;
}

function checkOwner(event: AgentStreamEvent, entity: { space: OwnerSpace; id: string }, run: Run): void {
  const tag = tagOf(event);
  if (tag === undefined || !run.owners.has(entity.space, entity.id)) return;
  const owner = run.owners.get(entity.space, entity.id);
  if (owner !== tag) {
    throw broken(
      event,
      `the ${entity.space} ${entity.id} belongs to ${owner ?? 'the agent itself'}, not to ${tag}`,
    );
  }
}

function encryptedEntity(subtype: string, id: string, run: Run): { space: OwnerSpace; id: string } {
  if (subtype === 'tool-call') return { space: 'tool call', id };
  return { space: run.owners.has('message', id) ? 'message' : 'reasoning message', id };
}

function checkStep(event: StepStartedEvent | StepFinishedEvent, run: Run): void {
  const names = run.steps.get(event.subagentRunId) ?? new Set();
  run.steps.set(event.subagentRunId, names);
  if (event.type === EventType.STEP_STARTED) {
    if (names.has(event.stepName)) throw broken(event, `the step ${event.stepName} is already open`);
    names.add(event.stepName);
  } else if (!names.delete(event.stepName)) {
    throw broken(event, `whoever sends it has no step ${event.stepName} open`);
  }
}

function checkSubagentStart(event: SubagentStartedEvent, run: Run): void {
  const { subagentRunId, parentSubagentRunId } = event;
  if (run.subagents.has(subagentRunId))
    throw broken(event, `the subagent ${subagentRunId} is already active`);
  if (run.closedSubagents.has(subagentRunId)) {
    throw broken(event, `the subagent ${subagentRunId} has already ended in this run`);
  }
  const parentKnown =
    parentSubagentRunId === undefined ||
    run.subagents.has(parentSubagentRunId) ||
    run.closedSubagents.has(parentSubagentRunId);
  if (!parentKnown) throw broken(event, `its parent ${parentSubagentRunId} has not been started`);
  run.subagents.add(subagentRunId);
}

function checkSubagentEnd(event: SubagentFinishedEvent | SubagentErrorEvent, run: Run): void {
  if (!run.subagents.delete(event.subagentRunId)) {
    throw broken(event, `the subagent ${event.subagentRunId} is not active`);
  }
  run.closedSubagents.add(event.subagentRunId);
}

function checkFinish(event: RunFinishedEvent, run: Run): void {
  if (event.threadId !== run.threadId) {
    throw broken(event, `it names the thread ${event.threadId}, the run was started on ${run.threadId}`);
  }
  if (event.runId !== run.runId) {
    throw broken(event, `it names the run ${event.runId}, the run was started as ${run.runId}`);
  }
  for (const [kind, ids] of Object.entries(run.open)) {
    if (ids.size > 0) throw broken(event, `the ${kind} ${[...ids].join(', ')} is still open`);
  }
  const steps = [...run.steps.values()].flatMap((names) => [...names]);
  if (steps.length > 0) throw broken(event, `the step ${steps.join(', ')} is still open`);
  if (run.subagents.size > 0) {
    throw broken(event, `the subagent ${[...run.subagents].join(', ')} is still active`);
  }
  const ids = interruptsOf(event).map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw broken(event, `two of its interrupts have the id ${repeated}`);
}

function tagOf(event: AgentStreamEvent): string | undefined {
  return 'subagentRunId' in event ? event.subagentRunId : undefined;
}

function broken(event: AgentStreamEvent, rule: string): HoldpointError {
  return new HoldpointError('INPUT_INVALID', `${event.type} is not allowed here: ${rule}.`);
}
