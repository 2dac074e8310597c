import type { CustomRequest, CustomResponse } from '../../content/index.ts';
import { defined, HoldpointError, isRecord, onDemand, toList } from '../../core/index.ts';
import type { Message, PROTOCOL_VERSION, ResumeEntry, RunAgentInput } from '../../protocol/index.ts';
import { checkAnswers } from '../check-answers.ts';
import type { Session } from '../session.ts';
import type { ThreadStore } from '../thread/thread-store.ts';
import type { AnswerInput, MessageInput, RunOptions, RunRequest } from './run.ts';

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
      `The thread ${thread.threadId} has open interrupts: ${ids}. Answer or cancel them with the message.`,
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
    // Without a version, a server sends only what earlier clients can read.
    protocolVersion: '1.0' satisfies typeof PROTOCOL_VERSION,
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

/** Content parts, which many clients never use. */
export const contentParts = onDemand(() => import('./content-parts.ts'));

/** A request in protocol form. */
interface ReadRequest {
  readonly messages: readonly Message[];
  /** Undefined without answers. */
  readonly resume: readonly ResumeEntry[] | undefined;
}

/** Reads messages and answers; an explicit `resume` replaces the responses among the messages. */
async function readRequest<Request extends CustomRequest, Response extends CustomResponse>(
  { messages: messageInputs = [], resume }: RunRequest<Response>,
  session: Session<Request, Response>,
  thread: ThreadStore,
): Promise<ReadRequest> {
  const messages: Message[] = [];
  const responses: ResumeEntry[] = [];
  const inputs: readonly MessageInput<Response>[] =
    typeof messageInputs === 'string' ? [{ role: 'user', content: messageInputs }] : toList(messageInputs);
  for (const input of inputs) {
    if ('contents' in input) {
      const read = (await contentParts.load()).readContents(input, session, thread);
      messages.push(...read.messages);
      responses.push(...read.resume);
    } else {
      messages.push('id' in input ? input : { ...input, id: session.newId() });
    }
  }
  if (resume !== undefined) return { messages, resume: await readAnswers(resume, session, thread) };
  return { messages, resume: responses.length > 0 ? responses : undefined };
}

/** Turns answers into `resume` entries. */
export async function readAnswers<Request extends CustomRequest, Response extends CustomResponse>(
  answers: AnswerInput<Response> | readonly AnswerInput<Response>[],
  session: Session<Request, Response>,
  thread: ThreadStore,
): Promise<ResumeEntry[]> {
  const entries: ResumeEntry[] = [];
  for (const answer of toList(answers)) {
    if (isRecord(answer) && 'interruptId' in answer && 'status' in answer) entries.push(answer);
    else entries.push(...(await contentParts.load()).readResponse(answer, session, thread));
  }
  return entries;
}
