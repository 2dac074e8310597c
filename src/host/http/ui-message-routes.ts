import type { Context, Hono } from 'hono';
import { HoldpointError } from '../../core/index.ts';
import type { Message, RunAgentInput } from '../../protocol/index.ts';
import type { ThreadAsIs } from '../../runs/index.ts';
import { readThreadAsIs } from '../../runs/index.ts';
import type { HostEnv } from '../host-options.ts';
import type { HostParts } from '../host-parts.ts';
import { agentNamed, checkedId } from '../host-parts.ts';
import { createChunkWriter } from '../ui-messages/chunk-writer.ts';
import type { ChatRequest } from '../ui-messages/read-chat.ts';
import { answersIn, readChat } from '../ui-messages/read-chat.ts';
import { toUiMessages } from '../ui-messages/to-ui-messages.ts';
import type { UiChunk } from '../ui-messages/ui-message.ts';
import { replyId } from '../ui-messages/ui-message.ts';
import type { RunCall } from './run-routes.ts';
import { checkInput, readRunBody, serveRun, serveThread, unlessRefused } from './run-routes.ts';
import type { EventEncoder } from './stream-response.ts';

const HERE = '/agents/:agent/ui-message-stream';

/**
 * The routes of AI SDK's `useChat`: a message or answers, the messages of a chat, and the reply of a chat whose page was loaded
 * again. A chat is the thread of its id. Only the input and the events are translated; runs are those of the run route.
 */
export function addUiMessageRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  app.post(HERE, async (context) => {
    const chat = readChat(await readRunBody(parts, context));
    const principal = context.get('principal');
    const input: RunAgentInput = {
      ...EMPTY,
      threadId: chat.id,
      runId: parts.newId(),
      messages: [...chat.said],
    };
    checkInput(parts, input);
    // A caller who may not read the thread is rejected below.
    const { messages, open } = await unlessRefused(NO_THREAD, async () =>
      readThreadAsIs(await parts.gate.checkThread(principal, 'read', { thread: chat.id })),
    );
    const interrupts = open.map(({ interrupt }) => interrupt);
    const resume = answersIn(chat, interrupts);
    const forwardedProps = cutFor(chat, messages);
    const encoder = createUiEncoder(chat.continues?.id ?? replyId(chat.said.at(-1)?.id), chat.continues);
    return serveRun(parts, {
      ...callOf(parts, context, encoder),
      principal,
      input: { ...input, forwardedProps, ...(resume.length === 0 ? {} : { resume }) },
    });
  });

  app.get(`${HERE}/:thread`, async (context) => {
    const agent = agentNamed(parts, context.req.param('agent'));
    const thread = checkedId(context.req.param('thread'), 'id of the chat');
    const place = { thread, agent: agent.id };
    const access = await parts.gate.checkThread(context.get('principal'), 'read', place);
    const { messages, open } = await readThreadAsIs(access);
    const interrupts = open.map(({ interrupt }) => interrupt);
    return context.json({ id: thread, messages: toUiMessages(messages, interrupts) });
  });

  app.get(`${HERE}/:thread/stream`, async (context) => {
    const agent = agentNamed(parts, context.req.param('agent'));
    const thread = checkedId(context.req.param('thread'), 'id of the chat');
    const place = { thread, agent: agent.id };
    const access = await parts.gate.checkThread(context.get('principal'), 'read', place);
    const { thread: found, messages, open } = await readThreadAsIs(access);
    // `useChat` asks at every load, also for a chat that nobody has begun.
    if (open.length === 0 && found?.active === undefined) return context.body(null, 204);
    const id = replyId(messages.findLast(({ role }) => role === 'user')?.id);
    return serveThread(parts, {
      ...callOf(parts, context, createUiEncoder(id)),
      principal: context.get('principal'),
      input: { ...EMPTY, threadId: thread, runId: parts.newId() },
    });
  });
}

const NO_THREAD: Pick<ThreadAsIs, 'messages' | 'open'> = { messages: [], open: [] };
const EMPTY = { messages: [], tools: [], context: [], state: {}, forwardedProps: {}, protocolVersion: '1.0' };

/** Leaves out what the client replaces: the reply to the last message of the user, or this message too. */
function cutFor({ said, replaces }: ChatRequest, messages: readonly Message[]): object {
  const last = said.at(-1)?.id;
  const at = messages.findIndex(({ id }) => id === last);
  if (replaces === undefined || last === undefined || at === -1) return {};
  const truncateAfter = replaces === 'reply' ? last : messages[at - 1]?.id;
  if (truncateAfter === undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'The first message of a chat cannot be changed. Start a new chat.',
    );
  }
  return { holdpoint: { truncateAfter } };
}

function callOf(
  parts: HostParts,
  context: Context<HostEnv>,
  encoder: EventEncoder,
): Omit<RunCall, 'principal' | 'input'> {
  return {
    request: context.req.raw,
    agent: agentNamed(parts, context.req.param('agent') ?? ''),
    dialect: '1.0',
    encoder,
    needsSnapshots: false,
    onEnd: parts.streams.open(context.get('principal')),
  };
}

/** Writes events as the SDK's UI message stream. */
function createUiEncoder(...message: Parameters<typeof createChunkWriter>): EventEncoder {
  const writer = createChunkWriter(...message);
  const toText = (chunks: readonly UiChunk[]) =>
    chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  return {
    contentType: undefined,
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    encode(events) {
      const text = toText(events.flatMap(({ event }) => writer.event(event)));
      return text === '' ? [] : [text];
    },
    refused: () => writer.refused(),
    end: () => `${toText(writer.end())}data: [DONE]\n\n`,
  };
}
