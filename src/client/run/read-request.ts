import { onDemand } from '../../core/index.ts';
import type { ChatContent, CustomRequest, CustomResponse } from '../../content/index.ts';
import type { Message, ResumeEntry } from '../../protocol/index.ts';
import type { Session } from '../session.ts';
import type { ThreadStore } from '../thread/thread-store.ts';
import type { AnswerInput, MessageInput, RunRequest } from './run.ts';

const contentInput = onDemand(async () => ({
  ...(await import('../../content/contents-to-messages.ts')),
  ...(await import('../../content/contents-to-resume.ts')),
}));

/** A request in protocol form. */
export interface ReadRequest {
  readonly messages: readonly Message[];
  /** Undefined without answers. */
  readonly resume: readonly ResumeEntry[] | undefined;
}

/** Reads messages and answers; an explicit `resume` replaces the responses among the messages. */
export async function readRequest<Request extends CustomRequest, Response extends CustomResponse>(
  { messages: messageInputs = [], resume }: RunRequest<Response>,
  session: Session<Request, Response>,
  thread: ThreadStore,
): Promise<ReadRequest> {
  const messages: Message[] = [];
  const responses: ResumeEntry[] = [];
  const inputs: readonly MessageInput<Response>[] =
    typeof messageInputs === 'string' ? [{ role: 'user', content: messageInputs }] : messageInputs;
  for (const input of inputs) {
    if ('contents' in input) {
      const { contentsToMessages, contentsToResume } = await contentInput.load();
      // Responses travel in `resume`, not in a message.
      messages.push(
        ...contentsToMessages(input.role, input.contents as readonly ChatContent[], session.newId),
      );
      responses.push(...contentsToResume(input.contents, thread.open, session.registry));
    } else {
      messages.push('id' in input ? input : { ...input, id: session.newId() });
    }
  }
  if (resume !== undefined) return { messages, resume: await readAnswers(resume, session, thread) };
  return { messages, resume: responses.length > 0 ? responses : undefined };
}

/** Turns answers into `resume` entries. */
export async function readAnswers<Request extends CustomRequest, Response extends CustomResponse>(
  answers: readonly AnswerInput<Response>[],
  { registry }: Session<Request, Response>,
  { open }: ThreadStore,
): Promise<ResumeEntry[]> {
  const entries: ResumeEntry[] = [];
  for (const answer of answers) {
    if ('interruptId' in answer) entries.push(answer);
    else entries.push(...(await contentInput.load()).contentsToResume([answer], open, registry));
  }
  return entries;
}
