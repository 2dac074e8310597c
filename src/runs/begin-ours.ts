import type { AgentContext } from '../engine/index.ts';
import { publicMessages } from '../engine/index.ts';
import type { BeginRun } from '../ledger/index.ts';
import type { AgentStreamEvent, Message, RunAgentInput } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import { beginDurable } from './begin-durable.ts';
import type { EventLog } from './event-log.ts';
import { createEventLog } from './event-log.ts';
import type { BegunRequest, RunRequest, RunsOptions } from './run-request.ts';
import { placeOf } from './run-request.ts';
import { runStarted } from './run-started.ts';
import { watchEnd } from './watch-end.ts';

/** Begins a run of an agent of ours: it goes on where it was, call by call, and its events are kept with what it does. */
export async function beginOurs(
  request: RunRequest,
  given: BeginRun,
  options: RunsOptions,
): Promise<BegunRequest> {
  const { access, agent, input } = request;
  const { store, newId } = options;
  const logs: EventLog[] = [];
  const begun = await beginDurable({
    ...given,
    store,
    access,
    tools: agent.agent.tools ?? [],
    newId,
    onExpire: options.onExpire,
    wrapSession(session, started, messages) {
      const messageHead = started.thread.view.thread?.logs.messages ?? 0;
      const watched = watchEnd(session, (outcome) => options.onOutcome(outcome, agent.id));
      const log = createEventLog(watched, { messages, messageHead });
      logs.push(log);
      return log.session;
    },
  });
  if (begun.type !== 'run') return begun;
  const { run } = begun;
  const { answers, state, session } = run;
  const { resume: _given, ...rest } = input;
  const own: RunAgentInput = {
    ...rest,
    messages: [],
    state,
    ...(answers.length === 0 ? {} : { resume: [...answers] }),
  };
  // Written by `toLog`. They came with answers, follow the turn, and are in the conversation once it is over.
  const waiting = publicMessages(run.started.input as unknown as readonly Message[]);
  const context: AgentContext = {
    ...options.contextFor(request),
    ...run.context,
    principal: run.started.thread.view.thread?.principal ?? access.principal,
    onEvent: withStateFirst(state, (event) => {
      const [log] = logs;
      if (event.type === EventType.MESSAGES_SNAPSHOT) return log?.write(withMessages(event, waiting));
      if (event.type !== EventType.RUN_STARTED) return log?.write(event);
      const fresh = given.newMessages.filter((message) => !run.started.input.includes(message));
      const newMessages = [...run.started.input, ...fresh];
      const beginning = { newMessages, conversation: run.context.history };
      for (const one of runStarted(event, beginning)) log?.write(one);
    }),
    newId,
  };
  const work = async () => {
    for await (const _event of agent.agent.run(own, context)) {
      // Kept as they were made.
    }
  };
  const place = placeOf(run.started);
  return { type: 'begun', run: { ...place, session, cancel: () => run.cancel() }, work };
}

type Snapshot = Extract<AgentStreamEvent, { type: EventType.MESSAGES_SNAPSHOT }>;

/** A snapshot that also shows messages which the conversation does not have yet. */
function withMessages(event: Snapshot, waiting: readonly Message[]): Snapshot {
  const known = new Set(event.messages.map(({ id }) => id));
  const missing = waiting.filter(({ id }) => !known.has(id));
  return missing.length === 0 ? event : { ...event, messages: [...event.messages, ...missing] };
}

/** A patch says nothing to whoever does not know what it changes: the state as the run found it comes before the first. */
function withStateFirst(
  state: unknown,
  write: (event: AgentStreamEvent) => void,
): (event: AgentStreamEvent) => void {
  let isKnown = false;
  return (event) => {
    if (event.type === EventType.STATE_DELTA && !isKnown)
      write({ type: EventType.STATE_SNAPSHOT, snapshot: state });
    isKnown ||= event.type === EventType.STATE_DELTA || event.type === EventType.STATE_SNAPSHOT;
    write(event);
  };
}
