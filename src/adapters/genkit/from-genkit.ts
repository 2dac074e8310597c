import { cancelledText, rejectionText } from '../../content/interrupts/index.ts';
import { defined, HoldpointError, isRecord, messageOf } from '../../core/index.ts';
import type { SchemaLike } from '../../core/schema/index.ts';
import type { Agent } from '../../engine/index.ts';
import { cancellationOf } from '../../engine/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { approvalInterrupt, decisionOf } from '../approvals.ts';
import type { AdapterOptions, RunWork } from '../emit-run.ts';
import { adapterAgent } from '../emit-run.ts';
import { inputInterrupt } from '../input-interrupt.ts';
import type { Turn } from '../remember-run.ts';
import { rememberRun } from '../remember-run.ts';
import type { ContentForm } from '../user-content.ts';
import { mediaUrl } from '../user-content.ts';
import type { GenkitPart, GenkitResponse, GenkitStream } from './sdk.ts';

export interface FromGenkitOptions extends AdapterOptions {
  /** Tools of `defineInterrupt`, by name, with the schema of the answer: it becomes the tool's output. Default: none. */
  readonly respond?: Readonly<Record<string, SchemaLike>>;
  /**
   * Tools that restart with a value of their own, by name, with its schema: the answer becomes `resumed`. A tool can also give the
   * schema itself: `interrupt({ message, responseSchema })`, as JSON Schema. Default: none; a tool asks for an approval.
   */
  readonly restart?: Readonly<Record<string, SchemaLike>>;
  /** `resumed` of an approved call, for all tools or by tool, such as `{ status: 'APPROVED' }`. Default `{ approved: true }`. */
  readonly resumed?: Resumed | ((toolName: string) => Resumed);
}

type Resumed = Readonly<Record<string, unknown>>;

/** What `generateStream` is called with, besides model and tools. */
export interface GenkitTurn<Messages, Resume> {
  readonly messages: Messages;
  readonly resume?: Resume;
}

/**
 * Puts a Genkit generation behind a host. A tool that calls `interrupt()` asks for approval: an approved call starts again with
 * `resumed`, and edited arguments replace its input; a rejected call does not start, and the model gets the reason. A tool of
 * `defineInterrupt` asks a person for its output. The thread keeps the messages.
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
  const call = (messages: readonly unknown[], resume?: object) =>
    // Genkit made these messages, or they have its form.
    generate({
      messages: messages as Messages,
      ...defined({ resume: resume as Resume | undefined }),
    });
  const work = (run: RunWork) =>
    rememberRun(run, FORM, async function* ({ data, answers, contents }) {
      let messages: readonly unknown[] = Array.isArray(data) ? (data as unknown[]) : [];
      let open: readonly GenkitPart[] = [];
      if (answers.length > 0) {
        const answered = yield* giveAnswers({ messages, answers, run, options, call });
        if (answered.failure !== undefined) return { ...answered, data: answered.messages, interrupts: [] };
        ({ messages, open } = answered);
      }
      if (contents.length > 0 && open.length === 0) {
        const said = contents.map((content) => ({
          role: 'user',
          content: typeof content === 'string' ? [{ text: content }] : content,
        }));
        const response = yield* writeStream(call([...messages, ...said]), run, 2);
        ({ messages, interrupts: open } = response);
      }
      return { data: messages, interrupts: open.map((part) => toInterrupt(part, options)) };
    });
  return { ...adapterAgent('genkit', options, work) };
}

interface Answered {
  readonly messages: readonly unknown[];
  /** The calls that wait now. */
  readonly open: readonly GenkitPart[];
  /** Why the model failed, after the calls had ended. */
  readonly failure?: unknown;
}

/**
 * Gives the calls their answers. Genkit ends with an error when a restarted call throws, and keeps nothing: the calls then get the
 * error as their result, and the model goes on from there.
 */
async function* giveAnswers({
  messages,
  answers,
  run,
  options,
  call,
}: {
  readonly messages: readonly unknown[];
  readonly answers: Turn<object>['answers'];
  readonly run: RunWork;
  readonly options: FromGenkitOptions;
  readonly call: (messages: readonly unknown[], resume?: object) => GenkitStream;
}): AsyncGenerator<void, Answered, undefined> {
  const { transcript } = run;
  const replies = answers.map((answer) => toReply(answer, run, options));
  const respond = replies.filter(({ toolResponse }) => toolResponse !== undefined);
  const restart = replies.filter(({ toolRequest }) => toolRequest !== undefined);
  // All are cancelled: the calls get a result, and the model is not asked.
  if (answers.every(({ entry }) => entry.status === 'cancelled'))
    return { messages: closeCalls(messages, respond), open: [] };
  const results = new Map<string, GenkitPart>();
  try {
    const response = yield* writeStream(
      call(structuredClone(messages), { respond, restart }),
      run,
      0,
      (part) => results.set(callIdOf(part), part),
    );
    return { messages: response.messages, open: response.interrupts };
  } catch (error) {
    const unanswered = restart.filter((part) => !results.has(callIdOf(part)));
    if (unanswered.length === 0) {
      const known = [...respond, ...results.values()];
      return { messages: closeCalls(messages, known), open: [], failure: failed(error) };
    }
    if (hasInterruptedAgain(error)) run.context.onWarning?.(ASKED_AGAIN);
    const text = messageOf(error);
    const failures = unanswered.map((part) => {
      const { name = '', ref } = part.toolRequest ?? {};
      // Genkit does not say which of several calls threw, and whether the others had ended.
      const output =
        unanswered.length === 1
          ? `${name} failed: ${text}`
          : `A call failed: ${text}. It is unknown whether ${name} was made.`;
      transcript.failure(callIdOf(part), output);
      return { toolResponse: { name, ...defined({ ref }), output } };
    });
    for (const { toolResponse, ...part } of respond)
      if (toolResponse !== undefined)
        transcript.result(callIdOf({ ...part, toolResponse }), toolResponse.output);
    const closed = closeCalls(messages, [...respond, ...failures]);
    try {
      const response = yield* writeStream(call(structuredClone(closed)), run, 1);
      return { messages: response.messages, open: response.interrupts };
    } catch (cause) {
      return { messages: closed, open: [], failure: failed(cause) };
    }
  }
}

function failed(cause: unknown): HoldpointError {
  return new HoldpointError('MODEL_FAILED', 'Genkit reported an error.', { cause });
}

const ASKED_AGAIN =
  'A tool of Genkit called interrupt() again after its approval, which Genkit does not allow. Name what the tool looks for in `resumed`: fromGenkit(generate, { resumed }).';

/** Whether Genkit failed because a restarted call interrupted again: the error then has the interrupted message. */
function hasInterruptedAgain(error: unknown): boolean {
  const detail: unknown = isRecord(error) ? error['detail'] : undefined;
  return isRecord(detail) && isRecord(detail['message']);
}

/** The messages with a result for each call of the last one: from `results`, or the output that the call had before. */
function closeCalls(messages: readonly unknown[], results: readonly GenkitPart[]): readonly unknown[] {
  const last: unknown = messages.at(-1);
  const parts = isRecord(last) && Array.isArray(last['content']) ? (last['content'] as GenkitPart[]) : [];
  const given = new Set(results.map(callIdOf));
  const pending = parts.flatMap((part): GenkitPart[] => {
    const { toolRequest, metadata = {} } = part;
    if (toolRequest === undefined || !('pendingOutput' in metadata) || given.has(callIdOf(part))) return [];
    const { name, ref } = toolRequest;
    return [{ toolResponse: { name, ...defined({ ref }), output: metadata['pendingOutput'] } }];
  });
  return [...messages, { role: 'tool', content: [...pending, ...results] }];
}

function callIdOf({ toolRequest, toolResponse }: GenkitPart): string {
  const { name = '', ref } = toolRequest ?? toolResponse ?? {};
  return ref ?? name;
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
function toInterrupt(part: GenkitPart, options: FromGenkitOptions): Interrupt {
  const { name = '', input } = part.toolRequest ?? {};
  const asked = part.metadata?.['interrupt'];
  const { message } = isRecord(asked) ? asked : {};
  const id = callIdOf(part);
  const about = {
    id,
    callId: id,
    message: typeof message === 'string' ? message : undefined,
    metadata: { part },
  };
  const respond = schemaOf(options.respond, name);
  if (respond !== undefined) {
    return inputInterrupt({
      ...about,
      message: about.message ?? name,
      schema: respond,
      payload: input,
    });
  }
  const approval = approvalInterrupt({ ...about, name, args: input, editedArgs: { type: 'object' } });
  const schema = resumedSchema(part, options);
  if (schema === undefined) return approval;
  const { responseSchema } = inputInterrupt({ id, schema });
  return { ...approval, ...defined({ responseSchema }) };
}

/** The schema that a tool wants its `resumed` to have; undefined for a tool that asks for an approval. */
function resumedSchema({ toolRequest, metadata }: GenkitPart, options: FromGenkitOptions): unknown {
  const asked = metadata?.['interrupt'];
  const own = isRecord(asked) ? asked['responseSchema'] : undefined;
  return isRecord(own) ? own : schemaOf(options.restart, toolRequest?.name ?? '');
}

function schemaOf(
  schemas: Readonly<Record<string, SchemaLike>> | undefined,
  name: string,
): SchemaLike | undefined {
  return schemas !== undefined && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
}

/** The request that an interrupt stands for. */
function requestOf({ metadata }: Interrupt): GenkitPart {
  return metadata?.['part'] as GenkitPart;
}

/** The answer as `resume` takes it: a restart, or a response. A call that a person rejected or cancelled gets a response. */
function toReply(
  { interrupt, entry }: Turn<object>['answers'][number],
  { context }: RunWork,
  options: FromGenkitOptions,
): GenkitPart {
  const part = requestOf(interrupt);
  const { name = '' } = part.toolRequest ?? {};
  const { payload } = entry;
  if (entry.status === 'cancelled')
    return toResponse(interrupt, cancelledText(cancellationOf(entry, context)));
  if (schemaOf(options.respond, name) !== undefined) return toResponse(interrupt, payload ?? null);
  const answered: Readonly<Record<string, unknown>> = isRecord(payload) ? payload : { value: payload };
  const { editedArgs, ...given } = answered;
  if (resumedSchema(part, options) !== undefined) return toRestart(part, given, editedArgs);
  const { approved, reason } = decisionOf(entry, context);
  if (!approved) return toResponse(interrupt, rejectionText(reason));
  const { resumed = given } = options;
  return toRestart(part, typeof resumed === 'function' ? resumed(name) : resumed, editedArgs);
}

function toRestart({ toolRequest, metadata }: GenkitPart, resumed: object, editedArgs: unknown): GenkitPart {
  const { name = '', input } = toolRequest ?? {};
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

/** Writes what Genkit streams. `part` keeps the ids of messages apart; `onResult` gets each result of a call. */
async function* writeStream(
  { stream, response }: GenkitStream,
  { transcript, input: { runId } }: RunWork,
  part: number,
  onResult?: (result: GenkitPart) => void,
): AsyncGenerator<void, GenkitResponse, undefined> {
  // A failed generation fails its stream too: the response is not read then.
  Promise.resolve(response).catch(() => undefined);
  let message = 0;
  for await (const { content } of stream) {
    const messageId = `${runId}-${part}-${message}`;
    for (const piece of content) {
      const { text, reasoning, toolRequest, toolResponse } = piece;
      if (text !== undefined) transcript.text(messageId, text);
      if (reasoning !== undefined) transcript.reasoning(messageId, reasoning);
      if (toolRequest !== undefined)
        transcript.wholeCall({ id: callIdOf(piece), name: toolRequest.name, messageId }, toolRequest.input);
      if (toolResponse !== undefined) {
        onResult?.(piece);
        transcript.result(callIdOf(piece), toolResponse.output ?? null);
        message += 1;
      }
    }
    yield;
  }
  return response;
}
