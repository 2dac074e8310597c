import type { CustomRequest, CustomResponse } from '../../content/index.ts';
import { HoldpointError } from '../../core/basics/index.ts';
import type { Message, ResumeEntry, RunAgentInput } from '../../protocol/index.ts';
import { checkAnswers } from '../answers/check-answers.ts';
import type { Session } from '../session.ts';
import type { ThreadStore } from '../thread/thread-store.ts';
import { readRequest } from './read-request.ts';
import type { RunOptions, RunRequest } from './run.ts';

/**
 * Checks a request against the thread, adds its messages to it, and gives the answers to send with it. Throws
 * `INTERRUPTS_PENDING` for new messages while questions are open, and what {@link checkAnswers} throws; then
 * nothing has changed.
 */
export async function prepareRun<Request extends CustomRequest, Response extends CustomResponse>(
  request: RunRequest<Response>,
  session: Session<Request, Response>,
  thread: ThreadStore,
): Promise<readonly ResumeEntry[] | undefined> {
  const { messages, resume } = await readRequest(request, session, thread);
  const known = new Set(thread.messages.map(({ id }) => id));
  const fresh = messages.filter(({ id }) => !known.has(id));
  const { open, staged } = thread;
  const { connection, warn } = session;
  if (resume === undefined && fresh.length > 0 && open !== undefined && open.length > 0) {
    const ids = open.map(({ id }) => id).join(', ');
    throw new HoldpointError(
      'INTERRUPTS_PENDING',
      `The thread ${thread.threadId} waits for answers to ${ids}; answer or cancel them with the message.`,
    );
  }
  const checked =
    resume === undefined
      ? undefined
      : await checkAnswers(resume, { open, staged, warn, now: connection.now() });
  thread.add(fresh);
  return checked;
}

/** The input of one request: the whole conversation, since a server may remember nothing. */
export function buildInput(
  thread: ThreadStore,
  options: RunOptions,
  {
    runId,
    tools,
    resume,
  }: Pick<RunAgentInput, 'runId' | 'tools'> & { resume: readonly ResumeEntry[] | undefined },
): RunAgentInput {
  return {
    threadId: thread.threadId,
    runId,
    // What a new run begins with is the thread's already, with all that was changed since.
    state: (resume === undefined ? thread.state : (options.state ?? thread.state)) ?? {},
    messages: thread.messages.filter(isSpoken),
    tools: [...(tools ?? []), ...(options.tools ?? [])],
    context: [...(options.context ?? [])],
    forwardedProps: options.forwardedProps ?? {},
    ...(resume === undefined ? {} : { resume: [...resume] }),
  };
}

/** Activities are for the screen; servers other than their own do not know them. */
function isSpoken({ role }: Message): boolean {
  return role !== 'activity';
}
