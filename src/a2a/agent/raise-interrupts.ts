import { defined, digestJson, HoldpointError } from '../../core/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { readAuthorization, readRequests } from '../dialects/read-requests.ts';
import { textOf } from '../parts.ts';
import type { PauseMemory, TaskInterrupt, TaskMemory } from './a2a-memory.ts';
import { interruptIdOf, reasonOf } from './a2a-memory.ts';
import type { Bridge } from './bridge.ts';
import { changeTask } from './bridge.ts';
import type { TaskView } from './task-view.ts';
import { isSamePause, pauseMarks } from './task-view.ts';

/**
 * Ends the run with the interrupts of a paused task. Emits the agent's words, the timeline, the state and then the interrupts. A
 * pause that an earlier run showed keeps its interrupt ids. Throws `MAX_TURNS` if the agent repeats the same request too often.
 */
export async function raiseInterrupts(bridge: Bridge, view: TaskView): Promise<void> {
  const { emitter, state, display, activities, maxRepeats, input } = bridge;
  const read = await readPause(bridge, view);
  const task = await changeTask(bridge, view.taskId, (known) =>
    known === undefined ? undefined : withPause(known, { view, read, runId: input.runId }),
  );
  const pause = task?.pause;
  if (task === undefined || pause === undefined) {
    throw new HoldpointError('INTERNAL', `The task ${view.taskId} is paused, but it is not in the memory.`);
  }
  const repeated = `The A2A agent ${bridge.agentId} sent the same request ${pause.repeats + 1} times.`;
  if (pause.repeats > 0) {
    bridge.context.onWarning?.(repeated);
  }
  if (pause.repeats >= maxRepeats) {
    state.show(task);
    bridge.report({ status: 'taken' });
    throw new HoldpointError('MAX_TURNS', repeated);
  }
  display.show(view, true);
  for (const interrupt of pause.interrupts) activities.open(task.taskId, interrupt);
  state.show(task);
  // The host adds the snapshot of the messages.
  emitter.interrupt(
    pause.interrupts.map((interrupt) => toInterrupt(task, pause, interrupt)),
    { state: state.value },
  );
}

type ReadPause = Pick<PauseMemory, 'dialect' | 'digest'> & {
  readonly interrupts: readonly Omit<TaskInterrupt, 'id'>[];
};

async function readPause({ dialects, agentId }: Bridge, view: TaskView): Promise<ReadPause> {
  const message = view.status?.message;
  const said = message === undefined ? '' : textOf(message.parts);
  const isAuth = view.state === 'auth-required';
  const { dialect, asked } = (isAuth ? readAuthorization : readRequests)(message, dialects);
  const wanted = isAuth
    ? `The agent ${agentId} waits for an authorization. Give it where the agent asks for it.`
    : `The agent ${agentId} asks for input.`;
  const interrupts = asked.map(({ title, message: own, ...request }) => ({
    ...request,
    text: own ?? ((asked.length === 1 && said) || title || said || wanted),
  }));
  const subject = interrupts.map(({ text, responseSchema }) => ({
    text,
    responseSchema: responseSchema ?? null,
  }));
  return { dialect: dialect.name, digest: digestJson(subject), interrupts };
}

/** The task with its pause: the one in memory if it is the same, else a new one with new interrupt ids. */
function withPause(
  task: TaskMemory,
  { view, read, runId }: { readonly view: TaskView; readonly read: ReadPause; readonly runId: string },
): TaskMemory {
  const before = task.pause;
  if (before !== undefined && before.claim === undefined && isSamePause(view, before)) {
    return { ...task, status: view.state, lastRunId: runId };
  }
  const interrupts = read.interrupts.map((interrupt, index) => ({
    ...interrupt,
    id: interruptIdOf(task.taskId, task.asked + index + 1),
  }));
  const [first] = interrupts;
  return {
    ...task,
    status: view.state,
    asked: task.asked + interrupts.length,
    lastRunId: runId,
    lastInterruptId: interrupts.at(-1)?.id ?? '',
    summaries: withSummary(task.summaries, first?.text ?? ''),
    pause: {
      ...pauseMarks(view),
      state: view.state === 'auth-required' ? 'auth-required' : 'input-required',
      dialect: read.dialect,
      digest: read.digest,
      interrupts,
      repeats: before?.digest === read.digest ? before.repeats + 1 : 0,
    },
  };
}

const MAX_SUMMARIES = 10;
const MAX_SUMMARY_LENGTH = 200;

/** The summaries with a shortened text appended; keeps the last few. */
export function withSummary(summaries: readonly string[], text: string): string[] {
  const short = text.length > MAX_SUMMARY_LENGTH ? `${text.slice(0, MAX_SUMMARY_LENGTH - 1)}…` : text;
  if (short === '' || summaries.at(-1) === short) return [...summaries];
  return [...summaries, short].slice(-MAX_SUMMARIES);
}

function toInterrupt(task: TaskMemory, pause: PauseMemory, raised: TaskInterrupt): Interrupt {
  const { taskId, contextId } = task;
  const { id, request, responseSchema, text, call, details } = raised;
  return {
    id,
    reason: reasonOf(pause, raised),
    message: text,
    ...defined({ responseSchema: responseSchema && { ...responseSchema } }),
    metadata: {
      ...details,
      ...(call && { toolName: call.name, toolInput: call.args ?? {} }),
      taskId,
      contextId,
      request,
      ...(pause.repeats === 0 ? {} : { repeats: pause.repeats }),
      // The payload of the draft dialect.
      payload: { taskId, contextId, interruptId: id, request },
    },
  };
}
