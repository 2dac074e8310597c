import { cancelledText } from '../../content/interrupts/index.ts';
import { defined, isRecord } from '../../core/index.ts';
import type { SchemaLike } from '../../core/schema/index.ts';
import type { Agent } from '../../engine/index.ts';
import { cancellationOf } from '../../engine/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { approvalInterrupt } from '../approvals.ts';
import type { AdapterOptions, RunWork } from '../emit-run.ts';
import { adapterAgent } from '../emit-run.ts';
import { inputInterrupt } from '../input-interrupt.ts';
import { rememberRun } from '../remember-run.ts';
import type { ContentForm } from '../user-content.ts';
import { mediaUrl } from '../user-content.ts';
import type { GenkitPart, GenkitResponse, GenkitStream } from './sdk.ts';

export interface FromGenkitOptions extends AdapterOptions {
  /** Tools of `defineInterrupt`, by name, with the schema of the answer: it becomes the tool's output. Other tools restart. */
  readonly respond?: Readonly<Record<string, SchemaLike>>;
}

/** What `generateStream` is called with, besides model and tools. */
export interface GenkitTurn<Messages, Resume> {
  readonly messages: Messages;
  readonly resume?: Resume;
}

/**
 * Puts a Genkit generation behind a host. A tool that calls `interrupt()` asks for approval; the answer is its `resumed`, and
 * edited arguments replace its input. A tool of `defineInterrupt` asks a person for its output. The thread keeps the messages.
 *
 * @example
 * ```ts
 * import { fromGenkit } from 'holdpoint/genkit';
 * import { createHost } from 'holdpoint/host';
 *
 * const support = fromGenkit((turn) => ai.generateStream({ model, tools, ...turn }));
 * const host = createHost({ agents: { support }, store });
 * ```
 */
export function fromGenkit<Messages = never[], Resume = never>(
  generate: (turn: GenkitTurn<Messages, Resume>) => GenkitStream,
  options: FromGenkitOptions = {},
): Agent {
  const { respond = {} } = options;
  const call = (messages: readonly unknown[], resume?: object) =>
    // Genkit made these messages, or they have its form.
    generate({
      messages: messages as Messages,
      ...defined({ resume: resume as Resume | undefined }),
    });
  const work = (run: RunWork) =>
    rememberRun(run, FORM, async function* ({ data, answers, contents }) {
      let messages: readonly unknown[] = Array.isArray(data) ? (data as unknown[]) : [];
      let last: GenkitResponse | undefined;
      const parts = answers.map(({ interrupt, entry }) => {
        if (entry.status === 'resolved') return toReply(interrupt, entry, respond);
        return toResponse(interrupt, cancelledText(cancellationOf(entry, run.context)));
      });
      if (answers.some(({ entry }) => entry.status === 'resolved')) {
        const resume = {
          respond: parts.filter(({ toolResponse }) => toolResponse !== undefined),
          restart: parts.filter(({ toolRequest }) => toolRequest !== undefined),
        };
        last = yield* writeStream(call(messages, resume), run, 0);
        messages = last.messages;
      } else if (answers.length > 0) {
        // All are cancelled: the calls get a result, and the model is not asked.
        messages = [...messages, { role: 'tool', content: parts }];
      }
      if (contents.length > 0 && (last?.interrupts.length ?? 0) === 0) {
        const said = contents.map((content) => ({
          role: 'user',
          content: typeof content === 'string' ? [{ text: content }] : content,
        }));
        last = yield* writeStream(call([...messages, ...said]), run, 1);
        messages = last.messages;
      }
      const interrupts = (last?.interrupts ?? []).map((part) => toInterrupt(part, respond));
      return { data: messages, interrupts };
    });
  return adapterAgent('genkit', options, work);
}

const FORM: ContentForm<object> = {
  framework: 'Genkit',
  text: (text) => ({ text }),
  file(media) {
    const url = mediaUrl(media);
    return url === undefined ? undefined : { media: { url, contentType: media.mediaType } };
  },
};

/** The interrupt of a part; its metadata keeps the part, which the answer goes back with. */
function toInterrupt(part: GenkitPart, respond: Readonly<Record<string, SchemaLike>>): Interrupt {
  const { name = '', ref: id = name, input } = part.toolRequest ?? {};
  const asked = part.metadata?.['interrupt'];
  const { message, responseSchema } = isRecord(asked) ? asked : {};
  const about = {
    id,
    callId: id,
    message: typeof message === 'string' ? message : undefined,
    metadata: { part },
  };
  if (Object.hasOwn(respond, name)) {
    return inputInterrupt({
      ...about,
      message: about.message ?? name,
      schema: respond[name],
      payload: input,
    });
  }
  const approval = approvalInterrupt({ ...about, name, args: input, editedArgs: { type: 'object' } });
  return isRecord(responseSchema) ? { ...approval, responseSchema } : approval;
}

/** The request that an interrupt stands for. */
function requestOf({ metadata }: Interrupt): GenkitPart {
  return metadata?.['part'] as GenkitPart;
}

/** The answer as `resume` takes it: a restart, or a response. */
function toReply(
  interrupt: Interrupt,
  { payload }: ResumeEntry,
  respond: Readonly<Record<string, SchemaLike>>,
): GenkitPart {
  const { toolRequest, metadata } = requestOf(interrupt);
  const { name = '', input } = toolRequest ?? {};
  if (Object.hasOwn(respond, name)) return toResponse(interrupt, payload ?? null);
  const given: Readonly<Record<string, unknown>> = isRecord(payload) ? payload : { value: payload };
  const { editedArgs, ...resumed } = given;
  return {
    toolRequest: { ...toolRequest, name, input: editedArgs ?? input },
    metadata: {
      ...metadata,
      resumed,
      ...defined({ replacedInput: editedArgs === undefined ? undefined : input }),
    },
  };
}

function toResponse(interrupt: Interrupt, output: unknown): GenkitPart {
  const { name = '', ref } = requestOf(interrupt).toolRequest ?? {};
  return {
    toolResponse: { name, ...defined({ ref }), output },
    metadata: { interruptResponse: true },
  };
}

async function* writeStream(
  { stream, response }: GenkitStream,
  { transcript, input: { runId } }: RunWork,
  part: number,
): AsyncGenerator<void, GenkitResponse, undefined> {
  let message = 0;
  for await (const { content } of stream) {
    const messageId = `${runId}-${part}-${message}`;
    for (const { text, reasoning, toolRequest, toolResponse } of content) {
      if (text !== undefined) transcript.text(messageId, text);
      if (reasoning !== undefined) transcript.reasoning(messageId, reasoning);
      if (toolRequest !== undefined) {
        const { name, ref = name, input } = toolRequest;
        transcript.wholeCall({ id: ref, name, messageId }, input);
      }
      if (toolResponse !== undefined) {
        transcript.result(toolResponse.ref ?? toolResponse.name, toolResponse.output ?? null);
        message += 1;
      }
    }
    yield;
  }
  return response;
}
