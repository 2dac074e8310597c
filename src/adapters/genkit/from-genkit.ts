import { cancelledText } from '../../content/interrupts/index.ts';
import { defined, isRecord } from '../../core/index.ts';
import type { SchemaLike } from '../../core/schema/index.ts';
import { toJsonSchema } from '../../core/schema/index.ts';
import type { Agent } from '../../engine/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { approvalInterrupt, textOf } from '../approvals.ts';
import type { RunWork } from '../emit-run.ts';
import { emitRun } from '../emit-run.ts';
import { rememberRun } from '../remember-run.ts';
import type { GenkitPart, GenkitResponse, GenkitStream } from './sdk.ts';

export interface FromGenkitOptions {
  /** Default `genkit`; a host that is given agents by name uses the name. */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
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
export function fromGenkit<Messages, Resume>(
  generate: (turn: GenkitTurn<Messages, Resume>) => GenkitStream,
  options: FromGenkitOptions = {},
): Agent {
  const { id = 'genkit', name, description, respond = {} } = options;
  const call = (messages: readonly unknown[], resume?: object) =>
    // Genkit made these messages, or they have its form.
    generate({
      messages: messages as Messages,
      ...defined({ resume: resume as Resume | undefined }),
    });
  const work = (run: RunWork) =>
    rememberRun(run, async function* ({ data, answers, messages: fresh }) {
      let messages: readonly unknown[] = Array.isArray(data) ? (data as unknown[]) : [];
      let last: GenkitResponse | undefined;
      if (answers.some(({ entry }) => entry.status === 'resolved')) {
        const parts = answers.map(({ interrupt, entry }) => toReply(interrupt, entry, respond));
        const resume = {
          respond: parts.filter(({ toolResponse }) => toolResponse !== undefined),
          restart: parts.filter(({ toolRequest }) => toolRequest !== undefined),
        };
        last = yield* writeStream(call(messages, resume), run, 0);
        messages = last.messages;
      } else if (answers.length > 0) {
        // Nobody answers: the calls get a result, and the model is not asked.
        const content = answers.map(({ interrupt, entry }) => toReply(interrupt, entry, respond));
        messages = [...messages, { role: 'tool', content }];
      }
      if (fresh.length > 0 && (last?.interrupts.length ?? 0) === 0) {
        const said = fresh.map((message) => ({ role: 'user', content: [{ text: textOf(message) }] }));
        last = yield* writeStream(call([...messages, ...said]), run, 1);
        messages = last.messages;
      }
      const interrupts = (last?.interrupts ?? []).map((part) => toInterrupt(part, respond));
      return { data: messages, interrupts };
    });
  return {
    id,
    ...defined({ name, description }),
    run: (input, context = {}) => emitRun(input, context, work),
  };
}

/** The interrupt of a part; its metadata keeps the part, which the answer goes back with. */
function toInterrupt(part: GenkitPart, respond: Readonly<Record<string, SchemaLike>>): Interrupt {
  const { name = '', ref, input } = part.toolRequest ?? {};
  const id = ref ?? name;
  const asked = part.metadata?.['interrupt'];
  const details = isRecord(asked) ? asked : {};
  const message = typeof details['message'] === 'string' ? details['message'] : undefined;
  const schema = Object.hasOwn(respond, name) ? respond[name] : undefined;
  if (schema === undefined) {
    const interrupt = approvalInterrupt({
      id,
      callId: id,
      name,
      args: input,
      message,
      editedArgs: { type: 'object' },
    });
    const own = details['responseSchema'];
    return {
      ...interrupt,
      ...(isRecord(own) ? { responseSchema: own } : {}),
      metadata: { ...interrupt.metadata, part },
    };
  }
  const responseSchema: unknown = toJsonSchema(schema);
  return {
    id,
    reason: InterruptReason.InputRequired,
    message: message ?? name,
    toolCallId: id,
    ...(isRecord(responseSchema) ? { responseSchema } : {}),
    metadata: { payload: input ?? null, part },
  };
}

/** The answer as `resume` takes it: a restart, or a response. */
function toReply(
  { metadata }: Interrupt,
  { status, payload }: ResumeEntry,
  respond: Readonly<Record<string, SchemaLike>>,
): GenkitPart {
  const part = metadata?.['part'] as GenkitPart;
  const { name = '', ref, input } = part.toolRequest ?? {};
  const place = ref === undefined ? { name } : { name, ref };
  const response = (output: unknown): GenkitPart => ({
    toolResponse: { ...place, output },
    metadata: { interruptResponse: true },
  });
  if (status === 'cancelled') return response(cancelledText(undefined));
  if (Object.hasOwn(respond, name)) return response(payload ?? null);
  const given: Readonly<Record<string, unknown>> = isRecord(payload) ? payload : { value: payload };
  const { editedArgs, ...resumed } = given;
  return {
    toolRequest: { ...place, input: editedArgs ?? input },
    metadata: { ...part.metadata, resumed, ...(editedArgs === undefined ? {} : { replacedInput: input }) },
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
