import { digestJson, HoldpointError } from '../../core/index.ts';
import { isApprovable } from '../../content/questions/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { readRequests } from '../dialects/index.ts';
import { textOf } from '../parts.ts';
import type { AskedQuestion, PauseMemory, TaskMemory } from './a2a-memory.ts';
import type { Bridge } from './bridge.ts';
import { changeTask } from './bridge.ts';
import { isSamePause, pauseMarks } from './same-pause.ts';
import { questionId } from './task-ids.ts';
import type { TaskView } from './task-view.ts';

/**
 * Ends the run with the questions that a task waits for: the explanation, the timeline, the state, the questions. A pause
 * that was asked before keeps its ids. Throws `MAX_TURNS` for an agent that only ever asks the same.
 */
export async function askQuestions(bridge: Bridge, view: TaskView): Promise<void> {
  const { emitter, state, display, activities, maxRepeats, input } = bridge;
  const asked = await readPause(bridge, view);
  const task = await changeTask(bridge, view.taskId, (known) =>
    known === undefined ? undefined : withPause(known, { view, asked, runId: input.runId }),
  );
  const pause = task?.pause;
  if (task === undefined || pause === undefined) {
    throw new HoldpointError('INTERNAL', `The task ${view.taskId} waits, and nothing is known of it.`);
  }
  if (pause.repeats > 0) {
    bridge.context.onWarning?.(`The A2A agent ${bridge.agentId} asked the same ${pause.repeats + 1} times.`);
  }
  if (pause.repeats >= maxRepeats) {
    state.show(task);
    const sentence = `The A2A agent ${bridge.agentId} asked the same question ${pause.repeats + 1} times.`;
    throw new HoldpointError('MAX_TURNS', sentence);
  }
  display.show(view, true);
  for (const question of pause.questions) activities.asked(task.taskId, question);
  state.show(task);
  // The host writes the messages; they are its own.
  emitter.interrupt(
    pause.questions.map((question) => toInterrupt(task, pause, question)),
    { state: state.value },
  );
}

type ReadPause = Pick<PauseMemory, 'dialect' | 'digest'> & {
  readonly questions: readonly Omit<AskedQuestion, 'id'>[];
};

async function readPause({ dialects, agentId }: Bridge, view: TaskView): Promise<ReadPause> {
  const message = view.status?.message;
  const said = message === undefined ? '' : textOf(message.parts);
  if (view.state === 'auth-required') {
    const text = said || `The agent ${agentId} waits for an authorization that is given elsewhere.`;
    // Nobody types credentials into a chat: the only answer is to go on.
    const question = { request: {}, text, responseSchema: { type: 'null' } };
    return { dialect: 'auth', digest: digestJson([view.state, text]), questions: [question] };
  }
  const { dialect, asked } = readRequests(message, dialects);
  const questions = asked.map(({ title, ...request }) => ({
    ...request,
    text: (asked.length === 1 && said) || title || said || `The agent ${agentId} asks for input.`,
  }));
  const subject = questions.map(({ text, responseSchema }) => ({
    text,
    responseSchema: responseSchema ?? null,
  }));
  return { dialect: dialect.name, digest: digestJson(subject), questions };
}

/** The pause in memory, or the next one: counted, and compared with the one before. */
function withPause(
  task: TaskMemory,
  { view, asked, runId }: { readonly view: TaskView; readonly asked: ReadPause; readonly runId: string },
): TaskMemory {
  const before = task.pause;
  if (before !== undefined && before.claim === undefined && isSamePause(view, before)) {
    return { ...task, status: view.state, lastRunId: runId };
  }
  const questions = asked.questions.map((question, index) => ({
    ...question,
    id: questionId(task.taskId, task.asked + index + 1),
  }));
  const [first] = questions;
  return {
    ...task,
    status: view.state,
    asked: task.asked + questions.length,
    lastRunId: runId,
    lastInterruptId: questions.at(-1)?.id ?? '',
    summaries: withSummary(task.summaries, first?.text ?? ''),
    pause: {
      ...pauseMarks(view),
      state: view.state === 'auth-required' ? 'auth-required' : 'input-required',
      dialect: asked.dialect,
      digest: asked.digest,
      questions,
      repeats: before?.digest === asked.digest ? before.repeats + 1 : 0,
    },
  };
}

/** The reason of a question that nobody here can answer: the authorization is given elsewhere. */
export const AUTH_REQUIRED = 'a2a:auth_required';

const MAX_SUMMARIES = 10;
const MAX_SUMMARY = 200;

/** The last few things that were said, in short. */
export function withSummary(summaries: readonly string[], text: string): string[] {
  const short = text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY - 1)}…` : text;
  if (short === '' || summaries.at(-1) === short) return [...summaries];
  return [...summaries, short].slice(-MAX_SUMMARIES);
}

function toInterrupt(task: TaskMemory, pause: PauseMemory, question: AskedQuestion): Interrupt {
  const { taskId, contextId } = task;
  const { id, request, responseSchema, text } = question;
  const interrupt: Interrupt = {
    id,
    reason: pause.state === 'auth-required' ? AUTH_REQUIRED : InterruptReason.InputRequired,
    message: text,
    ...(responseSchema === undefined ? {} : { responseSchema: { ...responseSchema } }),
    metadata: {
      taskId,
      contextId,
      request,
      ...(pause.repeats === 0 ? {} : { repeats: pause.repeats }),
      // What the decision record writes as the draft's payload.
      payload: { taskId, contextId, interruptId: id, request },
    },
  };
  return isApprovable(interrupt) ? { ...interrupt, reason: InterruptReason.Confirmation } : interrupt;
}
