import type { IdGenerator } from '../../core/index.ts';
import { HoldpointError, newId } from '../../core/index.ts';
import type { Message, ResumeEntry, RunAgentInput } from '../../protocol/index.ts';
import { withoutState } from '../calls/call-state.ts';
import { openTurn } from '../loop/open-turn.ts';
import type { LoopStart } from '../loop/run-loop.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { DurableContext, GenerateOptions } from './agent.ts';

/** One run of an agent: where the loop starts, and its surroundings. */
export interface RunStart {
  readonly start: LoopStart;
  readonly clientTools: RunAgentInput['tools'];
  readonly maxTurns: number | undefined;
  readonly threadId: string;
  readonly runId: string;
  readonly state: unknown;
  readonly context: DurableContext;
}

/** The start of a run from the options of `generate`. */
export function fromOptions(options: GenerateOptions): RunStart {
  const { clientTools, maxTurns, threadId, runId, state, ...context } = options;
  const ids = options.newId ?? newId;
  return {
    start: startOf(options, ids),
    clientTools: [...(clientTools ?? [])],
    maxTurns,
    threadId: threadId ?? ids(),
    runId: runId ?? ids(),
    state: state ?? {},
    context,
  };
}

/** The start of a run from an input. Messages after the waiting turn are new; a tool message there answers a call of the client. */
export function fromInput(input: RunAgentInput, context: DurableContext): RunStart {
  const { resume } = input;
  const messages = context.history ?? input.messages.map(withoutState);
  const { recovery } = context;
  const resumes = (resume !== undefined && resume.length > 0) || recovery !== undefined;
  const turn = resumes ? openTurn(messages, { unfinished: recovery !== undefined }) : undefined;
  const index = turn === undefined ? -1 : messages.indexOf(turn.message);
  const after = index === -1 ? [] : messages.slice(index + 1);
  const isNew = (message: Message) => message.role !== 'tool';
  const start: LoopStart = !resumes
    ? { messages, replies: undefined, newMessages: [] }
    : {
        messages: messages.filter((message) => !after.includes(message) || !isNew(message)),
        replies: resume ?? [],
        newMessages: after.filter(isNew),
        recovery,
      };
  const { threadId, runId, tools } = input;
  return {
    start,
    clientTools: tools,
    maxTurns: undefined,
    threadId,
    runId,
    state: input.state ?? {},
    context,
  };
}

/** What `generate` begins with. The caller's arrays are never changed. */
function startOf(options: GenerateOptions, newId: IdGenerator): LoopStart {
  const { prompt, messages = [], resume } = options;
  if (prompt === undefined && messages.length === 0) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'There is nothing to generate from: give a prompt or messages.',
    );
  }
  const newMessages: Message[] = prompt === undefined ? [] : [{ id: newId(), role: 'user', content: prompt }];
  return { messages, replies: repliesOf(resume), newMessages };
}

/** The answers, in whatever form they were given. */
export function repliesOf(resume: GenerateOptions['resume']): readonly (Reply | ResumeEntry)[] | undefined {
  if (resume === undefined) return undefined;
  if (isList(resume)) return resume;
  return [...(resume.respond ?? []), ...(resume.restart ?? []), ...(resume.answer ?? [])];
}

function isList(resume: NonNullable<GenerateOptions['resume']>): resume is readonly (Reply | ResumeEntry)[] {
  return Array.isArray(resume);
}
