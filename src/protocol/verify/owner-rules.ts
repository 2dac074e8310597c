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

interface Agents {
  /** Open steps by the agent that started them. */
  readonly steps: Map<string | undefined, Set<string>>;
  readonly subagents: Set<string>;
  readonly closedSubagents: Set<string>;
  readonly owners: Owners;
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
        agents.owners.seed(event.input?.messages ?? [], false);
      } else if (span === undefined) {
        checkEvent(event, agents);
      } else {
        checkSpan(event, span, agents);
      }
    },
  };
}

function createAgents(): Agents {
  return {
    steps: new Map(),
    subagents: new Set(),
    closedSubagents: new Set(),
    owners: createOwners(),
  };
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
      if (event.replace !== false || !owners.has('activity', event.messageId)) {
        owners.set('activity', event.messageId, event.subagentRunId);
      }
      break;
    case 'ACTIVITY_DELTA':
      checkOwner(event, { space: 'activity', id: event.messageId }, agents);
      break;
    case 'TOOL_CALL_RESULT':
      owners.set('message', event.messageId, event.subagentRunId);
      break;
    case 'REASONING_ENCRYPTED_VALUE':
      checkOwner(event, encryptedEntity(event.subtype, event.entityId, owners), agents);
      break;
    case 'MESSAGES_SNAPSHOT':
      owners.seed(event.messages, true);
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
  if (does === 'open' && !owners.has(space, id)) owners.set(space, id, owner);
}

/** The owner of a call: that of its message. */
function callOwner(event: ToolCallStartEvent, { owners }: Agents): string | undefined {
  const { parentMessageId, toolCallId, subagentRunId } = event;
  if (parentMessageId === undefined || !owners.has('message', parentMessageId)) return subagentRunId;
  const parent = owners.get('message', parentMessageId);
  if (subagentRunId !== undefined && subagentRunId !== parent) {
    throw broken(event, `its message ${parentMessageId} belongs to ${parent ?? 'the agent itself'}`);
  }
  const known = owners.has('tool call', toolCallId);
  if (subagentRunId === undefined && known && owners.get('tool call', toolCallId) !== parent) {
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
  if (tag === undefined || !owners.has(space, id)) return;
  const owner = owners.get(space, id);
  if (owner !== tag) {
    throw broken(event, `the ${space} ${id} belongs to ${owner ?? 'the agent itself'}, not to ${tag}`);
  }
}

function encryptedEntity(subtype: string, id: string, owners: Owners): { space: OwnerSpace; id: string } {
  if (subtype === 'tool-call') return { space: 'tool call', id };
  return { space: owners.has('message', id) ? 'message' : 'reasoning message', id };
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

/** Separate id spaces: one id may appear in several of them. */
type OwnerSpace = 'message' | 'tool call' | 'reasoning message' | 'activity';

/** The subagent of each message, call and activity; undefined is the agent itself. */
interface Owners {
  /** True when the id is known; its owner may still be the agent itself. */
  has(space: OwnerSpace, id: string): boolean;
  get(space: OwnerSpace, id: string): string | undefined;
  set(space: OwnerSpace, id: string, owner: string | undefined): void;
  /** Takes owners from stored messages; `override` replaces known owners. */
  seed(messages: readonly Message[], override: boolean): void;
}

function createOwners(): Owners {
  const spaces: Readonly<Record<OwnerSpace, Map<string, string | undefined>>> = {
    message: new Map(),
    'tool call': new Map(),
    'reasoning message': new Map(),
    activity: new Map(),
  };
  return {
    has: (space, id) => spaces[space].has(id),
    get: (space, id) => spaces[space].get(id),
    // oxlint-disable-next-line max-params -- the shape of Map.set, one level up
    set: (space, id, owner) => {
      spaces[space].set(id, owner);
    },
    seed(messages, override) {
      for (const message of messages) {
        const known = spaces[spaceOf(message)];
        if (override || !known.has(message.id)) known.set(message.id, message.subagentRunId);
        const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
        for (const { id } of calls) {
          if (override || !spaces['tool call'].has(id)) spaces['tool call'].set(id, message.subagentRunId);
        }
      }
    },
  };
}

function spaceOf(message: Message): OwnerSpace {
  if (message.role === 'reasoning') return 'reasoning message';
  return message.role === 'activity' ? 'activity' : 'message';
}
