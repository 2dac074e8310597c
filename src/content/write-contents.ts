import { defined, HoldpointError } from '../core/index.ts';
import type { Emitter, Interrupt, OpenStream } from '../protocol/index.ts';
import { registryOrBuiltIn } from './built-in-kinds.ts';
import type { ChatContent, FunctionCallContent, RequestContent, ResponseContent } from './chat-content.ts';
import type { CustomRequest, CustomResponse } from './content-kind.ts';
import type { ContentRegistry } from './content-registry.ts';
import { jsonText } from './json-forms.ts';
import { writeResult } from './result-content.ts';

/** Writes parts into a run. */
export interface ContentWriter<
  Request extends CustomRequest = never,
  Response extends CustomResponse = never,
> {
  /**
   * Writes one part. Consecutive pieces of text, or of reasoning, become one message. A request closes open
   * messages and is raised at the end, together with the others; a response is left out; an error fails the run.
   * Throws `INPUT_INVALID` for media and unregistered kinds, which a stream cannot carry.
   */
  write(content: ChatContent | Request | Response): void;
  /**
   * Closes open messages and, if there are requests, ends the run with them: `emitter.ended` is then true and
   * nothing else may end it. Without requests the run stays open.
   */
  end(): void;
}

/**
 * Creates a writer of parts over the emitter of a run.
 *
 * @example
 * ```ts
 * import { createContentWriter } from 'holdpoint/content';
 * import { createEmitter } from 'holdpoint/protocol';
 *
 * const emitter = createEmitter({ threadId: 't1', runId: 'r1', write: (event) => console.log(event) });
 * const writer = createContentWriter(emitter);
 * writer.write({ type: 'text', text: 'Hello' });
 * writer.end();
 * if (!emitter.ended) emitter.finish();
 * ```
 */
export function createContentWriter<
  Request extends CustomRequest = never,
  Response extends CustomResponse = never,
>(emitter: Emitter, registry?: ContentRegistry<Request, Response>): ContentWriter<Request, Response> {
  const kinds = registryOrBuiltIn(registry);
  const { mapCall, mapResult, mapResultAsStateSnapshot, mapResultAsStateDelta } = kinds.hooks;
  const interrupts: Interrupt[] = [];
  let open: { readonly kind: 'text' | 'reasoning'; readonly stream: OpenStream } | undefined;
  /** The message that calls belong to: that of the text before them, else the one that the first call starts. */
  let parentMessageId: string | undefined;

  const close = () => {
    open?.stream.end();
    open = undefined;
  };
  const say = (kind: 'text' | 'reasoning', piece: string) => {
    if (open?.kind !== kind) {
      close();
      open = { kind, stream: emitter[kind]() };
      parentMessageId = kind === 'text' ? open.stream.id : undefined;
    }
    open.stream.delta(piece);
    return open.stream.id;
  };
  const call = ({ callId, name, arguments: parsed }: FunctionCallContent) => {
    const text = jsonText(parsed);
    const stream = emitter.toolCall(name, { toolCallId: callId, ...defined({ parentMessageId }) });
    stream.delta(text);
    stream.end();
    parentMessageId ??= callId;
  };
  const put = (content: PlainContent) => {
    switch (content.type) {
      case 'text':
        say('text', content.text);
        break;
      case 'reasoning': {
        const messageId = say('reasoning', content.text);
        if (content.protectedData === undefined) break;
        close();
        emitter.encryptedValue('message', messageId, content.protectedData);
        break;
      }
      case 'functionCall': {
        const mapped = mapCall === undefined ? content : mapCall(content);
        close();
        if (mapped !== undefined) call(mapped);
        break;
      }
      case 'functionResult': {
        const mapped = mapResult === undefined ? content : mapResult(content);
        close();
        parentMessageId = undefined;
        if (mapped !== undefined) emitter.toolResult(mapped.callId, writeResult(mapped));
        const snapshot = mapResultAsStateSnapshot?.(content);
        if (snapshot !== undefined) emitter.state(snapshot);
        const delta = mapResultAsStateDelta?.(content);
        if (delta !== undefined) emitter.stateDelta(delta);
        break;
      }
      case 'error':
        interrupts.length = 0;
        open = undefined;
        emitter.fail(content.message, defined({ code: content.code }));
        break;
      case 'image':
      case 'audio':
      case 'video':
      case 'file':
        throw misplaced(content.type);
      default:
        throw misplaced((content as { readonly type: string }).type);
    }
  };

  return {
    write(content) {
      if (kinds.isRequest(content)) {
        close();
        interrupts.push(kinds.toInterrupt(content));
      } else if (!kinds.isResponse(content)) {
        put(content);
      }
    },
    end() {
      close();
      if (interrupts.length > 0) emitter.interrupt(interrupts.splice(0));
    },
  };
}

type PlainContent = Exclude<ChatContent, RequestContent | ResponseContent>;

/**
 * Writes parts into a run and closes the messages they opened. Requests end the run together with one interrupt
 * outcome; see {@link ContentWriter}.
 *
 * @example
 * ```ts
 * import { writeContents } from 'holdpoint/content';
 * import { createEmitter } from 'holdpoint/protocol';
 *
 * const emitter = createEmitter({ threadId: 't1', runId: 'r1', write: (event) => console.log(event) });
 * writeContents(emitter, [{ type: 'userInputRequest', id: 'email', message: 'Your e-mail?' }]);
 * ```
 */
export function writeContents<Request extends CustomRequest = never, Response extends CustomResponse = never>(
  emitter: Emitter,
  contents: readonly (ChatContent | Request | Response)[],
  registry?: ContentRegistry<Request, Response>,
): void {
  const writer = createContentWriter(emitter, registry);
  for (const content of contents) writer.write(content);
  writer.end();
}

function misplaced(type: string): HoldpointError {
  return new HoldpointError('INPUT_INVALID', `A stream cannot carry a part of type ${type}. Leave it out.`);
}
