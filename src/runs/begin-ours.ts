import type { AgentContext } from '../engine/index.ts';
import { partsOf, publicMessages } from '../engine/index.ts';
import type { BeginRun, NoRun } from '../ledger/index.ts';
import type { AgentStreamEvent, Message, RunAgentInput } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import { beginDurable, decidesAgain } from './begin-durable.ts';
import { withMessages } from './conversation.ts';
import { createLogItems, runStarted } from './event-log.ts';
import type { PreparedRun, RunRequest, RunsOptions } from './run-request.ts';

/** Begins a run of an agent of ours. It continues call by call, and the log of the thread keeps its events. */
export async function beginOurs(
  request: RunRequest,
  begin: BeginRun,
  options: RunsOptions,
): Promise<PreparedRun | NoRun> {
  const { access, agent, input } = request;
  const { store, newId } = options;
  const given = options.contextFor(request);
  const run = await beginDurable({
    ...begin,
    store,
    access,
    tools: agent.agent.tools ?? [],
    decidesAgain: decidesAgain(given, partsOf(agent.agent)?.policies ?? []),
    newId,
    files: given.files,
    onExpire: options.onExpire,
    onOutcome: (outcome) => options.onOutcome(outcome, agent.id),
  });
  if (run.type !== 'run') return run;
  const { answers, state, session, claim } = run;
  const { thread } = claim.thread.view;
  const write = session.openLog(
    createLogItems({
      messageHead: thread?.logs.messages ?? 0,
      messages: publicMessages(run.conversation).length,
    }),
  );
  const { resume: _given, ...rest } = input;
  const own: RunAgentInput = {
    ...rest,
    messages: [],
    state,
    ...(answers.length === 0 ? {} : { resume: [...answers] }),
  };
  // Written by `toLog`: messages that came with answers. They follow the turn and join the conversation after it.
  const waiting = publicMessages(claim.input as unknown as readonly Message[]);
  const context: AgentContext = {
    ...given,
    ...run.context,
    principal: thread?.principal ?? access.principal,
    onEvent: withStateFirst(state, (event) => {
      if (event.type === EventType.MESSAGES_SNAPSHOT)
        return write({ ...event, messages: [...withMessages(event.messages, waiting)] });
      if (event.type !== EventType.RUN_STARTED) return write(event);
      const fresh = begin.newMessages.filter((message) => !claim.input.includes(message));
      const newMessages = [...claim.input, ...fresh];
      const { claimed } = claim;
      const conversation = run.context.history;
      for (const one of runStarted(event, { newMessages, conversation, claimed })) write(one);
    }),
    newId,
  };
  const work = async () => {
    for await (const _event of agent.agent.run(own, context)) {
      // The log stores the events unchanged.
    }
  };
  return { type: 'started', claim, session, work, cancel: () => run.cancel() };
}

/** Emits the state of the thread before the first patch, for readers who do not have it. */
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
