import type {
  Message,
  StepFinishedEvent,
  StepStartedEvent,
  SubagentErrorEvent,
  SubagentFinishedEvent,
  SubagentStartedEvent,
  ToolCallStartEvent,
} from '@ag-ui/core';
import type { AgentStreamEvent } from '../events.ts';
import type { Span, SpanKind } from './span.ts';
import { broken } from './span.ts';

/** Separate id spaces: one id may appear in several of them. */
type OwnerSpace = 'message' | 'tool call' | 'reasoning message' | 'activity';

interface Agents {
  /** Open steps by the agent that started them. */
  readonly steps: Map<string | undefined, Set<string>>;
  readonly subagents: Set<string>;
  readonly closedSubagents: Set<string>;
  /** The subagent of each message, call and activity by {@link keyOf}; undefined is the agent itself. */
  readonly owners: Map<string, string | undefined>;
}

function keyOf(space: OwnerSpace, id: string): string {
  return `${space} ${id}`;
}

/** The id space of each kind of span, for its owner. */
const OWNER_SPACE: Readonly<Record<SpanKind, OwnerSpace>> = {
  'text message': 'message',
  'tool call': 'tool call',
  'reasoning span': 'reasoning message',
  'reasoning message': 'reasoning message',
};

/** The rules about agents, for an event in a legal position. */
interface OwnerRules {
  check(event: AgentStreamEvent, span: Span | undefined): void;
}

/** An agent does not change what belongs to another; steps and subagents start once and end before the run. */
export function createOwnerRules(): OwnerRules {
  let agents = createAgents();
  return {
    check(event, span) {
      if (event.type === 'RUN_STARTED') {
        agents = createAgents();
        seedOwners(event.input?.messages ?? [], agents, false);
      } else if (span === undefined) {
        checkEvent(event, agents);
      } else {
        checkSpan(event, span, agents);
      }
    },
  };
}

function createAgents(): Agents {
  return { steps: new Map(), subagents: new Set(), closedSubagents: new Set(), owners: new Map() };
}

function checkEvent(event: AgentStreamEvent, agents: Agents): void {
  const { owners } = agents;
  switch (event.type) {
    case 'STEP_STARTED':
    case 'STEP_FINISHED':
      checkStep(event, agents);
      break;
    case 'SUBAGENT_STARTED':
      checkSubagentStart(event, agents);
      break;
    case 'SUBAGENT_FINISHED':
    case 'SUBAGENT_ERROR':
      checkSubagentEnd(event, agents);
      break;
    case 'ACTIVITY_SNAPSHOT':
      if (event.replace !== false || !owners.has(keyOf('activity', event.messageId))) {
        owners.set(keyOf('activity', event.messageId), event.subagentRunId);
      }
      break;
    case 'ACTIVITY_DELTA':
      checkOwner(event, { space: 'activity', id: event.messageId }, agents);
      break;
    case 'TOOL_CALL_RESULT':
      owners.set(keyOf('message', event.messageId), event.subagentRunId);
      break;
    case 'REASONING_ENCRYPTED_VALUE':
      checkOwner(event, encryptedEntity(event.subtype, event.entityId, agents), agents);
      break;
    case 'MESSAGES_SNAPSHOT':
      seedOwners(event.messages, agents, true);
      break;
    case 'RUN_FINISHED':
      checkFinish(event, agents);
      break;
    default:
      break;
  }
}

function checkSpan(event: AgentStreamEvent, { kind, id, does }: Span, agents: Agents): void {
  const { owners } = agents;
  const space = OWNER_SPACE[kind];
  const owner = event.type === 'TOOL_CALL_START' ? callOwner(event, agents) : tagOf(event);
  checkOwner(event, { space, id }, agents);
  if (does === 'open' && !owners.has(keyOf(space, id))) owners.set(keyOf(space, id), owner);
}

/** The owner of a call: that of its message. */
function callOwner(event: ToolCallStartEvent, { owners }: Agents): string | undefined {
  const { parentMessageId, toolCallId, subagentRunId } = event;
  if (parentMessageId === undefined || !owners.has(keyOf('message', parentMessageId))) return subagentRunId;
  const parent = owners.get(keyOf('message', parentMessageId));
  if (subagentRunId !== undefined && subagentRunId !== parent) {
    throw broken(event, `its message ${parentMessageId} belongs to ${parent ?? 'the agent itself'}`);
  }
  const call = keyOf('tool call', toolCallId);
  if (subagentRunId === undefined && owners.has(call) && owners.get(call) !== parent) {
    throw broken(
      event,
      `the call ${toolCallId} and its message ${parentMessageId} belong to different agents`,
    );
  }
  return parent;
}

function checkOwner(
  event: AgentStreamEvent,
  { space, id }: { space: OwnerSpace; id: string },
  { owners }: Agents,
): void {
  const tag = tagOf(event);
  if (tag === undefined || !owners.has(keyOf(space, id))) return;
  const owner = owners.get(keyOf(space, id));
  if (owner !== tag) {
    throw broken(event, `the ${space} ${id} belongs to ${owner ?? 'the agent itself'}, not to ${tag}`);
  }
}

function encryptedEntity(subtype: string, id: string, { owners }: Agents): { space: OwnerSpace; id: string } {
  if (subtype === 'tool-call') return { space: 'tool call', id };
  return { space: owners.has(keyOf('message', id)) ? 'message' : 'reasoning message', id };
}

function checkStep(event: StepStartedEvent | StepFinishedEvent, { steps }: Agents): void {
  const names = steps.get(event.subagentRunId) ?? new Set();
  steps.set(event.subagentRunId, names);
  if (event.type === 'STEP_STARTED') {
    if (names.has(event.stepName)) throw broken(event, `the step ${event.stepName} is already open`);
    names.add(event.stepName);
  } else if (!names.delete(event.stepName)) {
    throw broken(event, `its agent has no open step ${event.stepName}`);
  }
}

function checkSubagentStart(event: SubagentStartedEvent, agents: Agents): void {
  const { subagents, closedSubagents } = agents;
  const { subagentRunId, parentSubagentRunId: parent } = event;
  if (subagents.has(subagentRunId)) throw broken(event, `the subagent ${subagentRunId} is already active`);
  if (closedSubagents.has(subagentRunId)) {
    throw broken(event, `the subagent ${subagentRunId} has already ended in this run`);
  }
  if (parent !== undefined && !subagents.has(parent) && !closedSubagents.has(parent)) {
    throw broken(event, `its parent ${parent} has not been started`);
  }
  subagents.add(subagentRunId);
}

function checkSubagentEnd(
  event: SubagentFinishedEvent | SubagentErrorEvent,
  { subagents, closedSubagents }: Agents,
): void {
  if (!subagents.delete(event.subagentRunId)) {
    throw broken(event, `the subagent ${event.subagentRunId} is not active`);
  }
  closedSubagents.add(event.subagentRunId);
}

function checkFinish(event: AgentStreamEvent, { steps, subagents }: Agents): void {
  const open = [...steps.values()].flatMap((names) => [...names]);
  if (open.length > 0) throw broken(event, `the step ${open.join(', ')} is still open`);
  if (subagents.size > 0) {
    throw broken(event, `the subagent ${[...subagents].join(', ')} is still active`);
  }
}

function tagOf(event: AgentStreamEvent): string | undefined {
  return 'subagentRunId' in event ? event.subagentRunId : undefined;
}

/** Takes owners from stored messages; `override` replaces known owners. */
function seedOwners(messages: readonly Message[], { owners }: Agents, override: boolean): void {
  for (const message of messages) {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const keys = [keyOf(spaceOf(message), message.id), ...calls.map(({ id }) => keyOf('tool call', id))];
    for (const key of keys) if (override || !owners.has(key)) owners.set(key, message.subagentRunId);
  }
}

function spaceOf({ role }: Message): OwnerSpace {
  if (role === 'reasoning') return 'reasoning message';
  return role === 'activity' ? 'activity' : 'message';
}
