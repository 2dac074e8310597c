import type { IdGenerator } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { Message, ResumeEntry } from '../../protocol/index.ts';
import type { LoopStart } from '../loop/run-loop.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { GenerateOptions } from './agent.ts';

/** What `generate` begins with. The caller's arrays are never changed. */
export function startOf(options: GenerateOptions, newId: IdGenerator): LoopStart {
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
