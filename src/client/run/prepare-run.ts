import type { CustomRequest, CustomResponse } from '../../content/index.ts';
import { defined, HoldpointError } from '../../core/basics/index.ts';
import type { Message, ResumeEntry, RunAgentInput } from '../../protocol/index.ts';
import { checkAnswers } from '../answers/check-answers.ts';
import type { Session } from '../session.ts';
import type { ThreadStore } from '../thread/thread-store.ts';
import { readRequest } from './read-request.ts';
import type { RunOptions, RunRequest } from './run.ts';

/**
 * Checks a request against the thread, adds its messages, and returns the answers to send. Throws
 * `INTERRUPTS_PENDING` for new messages while interrupts are open, and the errors of {@link checkAnswers}; after a
 * throw, the thread is unchanged.
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
      `The thread ${thread.threadId} has the open interrupts ${ids}. Answer or cancel them in the same request as the message.`,
    );
  }
  const checked =
    resume === undefined
      ? undefined
      : await checkAnswers(resume, { open, staged, warn, now: connection.now() });
  thread.add(fresh);
  return checked;
}

/** The input of one request: the whole conversation, because a server may store nothing. */
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
    // A new run sends the state of the thread, which already includes the given one.
    state: (resume === undefined ? thread.state : (options.state ?? thread.state)) ?? {},
    messages: thread.messages.filter(isSpoken),
    tools: [...(tools ?? []), ...(options.tools ?? [])],
    context: [...(options.context ?? [])],
    forwardedProps: options.forwardedProps ?? {},
    ...defined({ resume: resume && [...resume] }),
  };
}

/** Activities are for the screen; other servers do not know them. */
function isSpoken({ role }: Message): boolean {
  return role !== 'activity';
}
